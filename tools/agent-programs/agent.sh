#!/bin/sh
# Does what scripts do with the agent, in the ways that they do it.
set -eu
api=http://$FAUXGATE_AGENT/api

fail() { echo "$1" >&2; exit 1; }
same() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }

"$NGROK" http 8000 --log=stdout > ngrok.log &
program=$!
trap 'kill $program' EXIT

tries=0
until url=$(curl -s "$api/tunnels" | jq -er '.tunnels[] | select(.proto == "https") | .public_url'); do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || fail 'The agent has no URL.'
  sleep 0.1
done
grep -q 'started tunnel\|tunnel session started' ngrok.log

# Without a name, without jq, and by the position in the text.
same "$(curl -s "$api/tunnels" | jq -r '.tunnels[0].public_url')" "$url"
same "$(curl -s "$api/tunnels/command_line" | jq -r .public_url)" "$url"
same "$(curl -s "$api/tunnels" | grep -o '"public_url":"https://[^"]*' | cut -d '"' -f 4)" "$url"
same "$(curl -s "$api/tunnels" | sed 's/.*"public_url":"\([^"]*\).*/\1/')" "$url"
same "$(curl -s "$api/tunnels" | cut -d '"' -f 18)" "$url"
same "$(curl -s "$api/tunnels" | jq -r '.tunnels | map(select(.config.addr == "http://localhost:8000")) | length')" 1

# Tunnels and endpoints of its own.
json='content-type: application/json'
curl -sf -H "$json" -d '{"name": "ssh", "proto": "tcp", "addr": "22"}' "$api/tunnels" | jq -e '.public_url | startswith("tcp://")'
same "$(curl -s -o refused.json -w '%{http_code}' -d '{"name": "ssh", "addr": 22}' "$api/tunnels")" 400
same "$(jq -r .error_code refused.json)" 102
curl -sf -X PUT -H "$json" -d '{"upstream": {"url": "8001"}}' "$api/endpoints/web" | jq -e '.url | startswith("https://")'
curl -sf "$api/endpoints" | jq -e '.endpoints | map(.name) == ["command_line", "ssh", "web"]'
curl -sf "$api/status" | jq -e '.status == "online"'
curl -sf "$api" | jq -e .uri
for name in $(curl -s "$api/tunnels" | jq -r '.tunnels[].name'); do curl -sf -X DELETE "$api/tunnels/$name"; done
same "$(curl -s -o gone.json -w '%{http_code}' -X DELETE "$api/tunnels/ssh")" 404
same "$(curl -s "$api/tunnels" | jq '.tunnels | length')" 0
