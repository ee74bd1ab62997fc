#!/bin/sh
# Stands in for the program ngrok: fauxgate answers as its agent. It needs curl.
agent=${FAUXGATE_AGENT:-127.0.0.1:4040}
format=logfmt

# The text of JSON for a text.
json() { printf '%s' "$1" | sed 's/[\\"]/\\&/g' | awk '{ gsub(/\t/, "\\t"); gsub(/\r/, "\\r"); printf "%s%s", n++ ? "\\n" : "", $0 }'; }

# Writes a line of the log: a level, a message, and pairs of a name and a value.
log() {
  level=$1 message=$2
  shift 2
  set -- t "$(date -u +%Y-%m-%dT%H:%M:%SZ)" lvl "$level" msg "$message" "$@"
  line=
  while [ $# -gt 0 ]; do
    case "$format$2" in
    json*) line="$line,\"$1\":\"$(json "$2")\"" ;;
    *[\ \"=\\]*) line="$line $1=\"$(json "$2")\"" ;;
    *) line="$line $1=$2" ;;
    esac
    shift 2
  done
  if [ "$format" = json ]; then printf '{%s}\n' "${line#,}"; else printf '%s\n' "${line# }"; fi
}

# The name of a tunnel in a path: each byte as %XX.
encode() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

# Ends with an error: what failed, and why.
fail() {
  log eror "$1" err "$2"
  printf 'ERROR:  %s\n' "$2" >&2
  exit 1
}

# Flags have two dashes or one, and may be before and after the other words. The value follows "=" or is the next word.
words= name=command_line fields=
add() { fields="$fields, \"$1\": \"$(json "$2")\""; }
while [ $# -gt 0 ]; do
  case "$1" in
  -*=*) flag=${1%%=*} value=${1#*=} ;;
  --version | -v | -version) words=version flag='' ;;
  --all | --none | --help | -h | --inspect | -inspect | --pooling-enabled | -pooling-enabled | --compression | --upstream-tls-verify | --websocket-tcp-converter) flag=$1 value=true ;;
  -*)
    flag=$1 value=${2-}
    [ $# -gt 1 ] && shift
    ;;
  *) words="$words $1" flag='' ;;
  esac
  shift
  flag=${flag#-}
  case "${flag#-}" in
  log-format) format=$value ;;
  name) name=$value ;;
  url | domain | hostname | subdomain | metadata) add "${flag#-}" "$value" ;;
  remote-addr) add remote_addr "$value" ;;
  traffic-policy-file | policy-file) add traffic_policy "$(cat "$value")" ;;
  inspect) fields="$fields, \"inspect\": $value" ;;
  pooling-enabled) fields="$fields, \"pooling_enabled\": $value" ;;
  bind-tls) add bind_tls "$value" ;;
  esac
done
# shellcheck disable=SC2086 # Addresses and names of commands have no blanks.
set -- $words

case "$1 ${2-}" in
version*) echo 'ngrok version 3.39.0' && exit ;;
'authtoken '* | 'config add-authtoken') echo 'Authtoken saved' && exit ;;
'config add-api-key') echo 'API key saved' && exit ;;
'config '* | 'update '*) exit ;;
'start '* | 'http '?* | 'tcp '?* | 'tls '?*) ;;
*) fail 'invalid command' "ngrok ${words# } is no command of this script. It has http, tcp, tls, start, config and version." ;;
esac

api=http://$agent/api
curl -sf -o /dev/null "$api/status" ||
  fail 'failed to start' "Nothing answers at http://$agent. Start fauxgate serve --dialect ngrok --agent 4040"
log info 'starting web service' obj web addr "$agent"
log info 'client session established' obj csess
log info 'tunnel session started' obj tunnels.session
if [ "$1" != start ]; then
  path=$api/tunnels/$(encode "$name")
  # With --bind-tls=both there are two tunnels.
  stop() { curl -s -o /dev/null -X DELETE "$path" -o /dev/null -X DELETE "$path%20%28http%29"; }
  # A tunnel of an earlier run stays if that run was killed.
  stop
  answer=$(curl -s -w '%{http_code}' -H 'content-type: application/json' \
    -d "{\"proto\": \"$1\", \"addr\": \"$(json "$2")\", \"name\": \"$(json "$name")\"$fields}" "$api/tunnels")
  status=${answer#"${answer%???}"}
  answer=$(printf '%s' "${answer%???}")
  case "$status" in
  201) ;;
  *) fail 'failed to start tunnel' "$(printf '%s' "$answer" | sed 's/.*"err":"//; s/"}}.*//; s/\\r//g; s/\\n/ /g; s/\\"/"/g')" ;;
  esac
  trap 'stop; exit 0' INT TERM HUP
  url_of() { printf '%s' "$1" | sed 's/.*"public_url":"\([^"]*\).*/\1/'; }
  url=$(url_of "$answer")
  # A test can delay the URL.
  while [ -z "$url" ]; do
    sleep 0.1
    url=$(url_of "$(curl -s "$path")")
  done
  log info 'started tunnel' obj tunnels name "$name" \
    addr "$(printf '%s' "$answer" | sed 's/.*"addr":"\([^"]*\).*/\1/')" url "$url"
fi
while :; do sleep 1 & wait $!; done
