const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** Formats a duration in its two largest units: `2 d 3 h`, `30 s`. */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1000))
  const texts = UNITS.map(([unit, size]) => {
    const count = Math.floor(left / size)
    left %= size
    return count > 0 ? `${count} ${unit}` : ''
  })
  return texts.slice(texts.findIndex(Boolean)).slice(0, 2).join(' ').trim() || '0 s'
}

export function formatTime(time: string | number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Formats a time on the browser's clock, in the browser's time zone. */
export function formatClockTime(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8)
}

/** Formats the timestamps in a string from the gateway like all other times. */
export function formatTimes(text: string): string {
  return text.replace(/(?<=-\d\d)T([\d:]{8})Z/g, ' $1')
}

/** Formats a timestamp relative to now: `in 30 s`, `2 d ago`, `now`. */
export function formatRelative(timestamp: string, now: number): string {
  const ms = Date.parse(timestamp) - now
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(-ms)} ago`
}

/** Formats a number with thousands separators: `1,000`. */
export function formatCount(count: number): string {
  // `toLocaleString` would take 14 ms when it is first called.
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Formats a number with its noun: `1 record`, `2 records`. */
export function formatCounted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`
}

/** Formats a wall-clock duration: `0.4 ms`, `12 ms`, `3.1 s`. An unknown duration is an empty string. */
export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return ''
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

const ACRONYM = /^(acl|acme|api|ca|cidr|cname|csr|dns|https?|idp?|ip|oidc|os|pem|saml|ssh|tcp|tls|uri|url)(s?)$/

/** Short words in wire names, in the spelling used in prose. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    addr: 'address',
    hostport: 'host and port',
    hostports: 'hosts and ports',
    msg: 'message',
    num: 'number of',
    proto: 'protocol',
  }),
)

/** Formats a field name for people: `CNAME target`. For a path, formats each name: `Job › Error code`. */
export function formatLabel(path: string): string {
  const labels = path.split('.').map((name) => {
    const words = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split(/[_ ]/)
    const text = words
      .map((word) => WORDS.get(word) ?? word.replace(ACRONYM, (_, all, s) => all.toUpperCase() + s))
      .join(' ')
    return (text[0] ?? '').toUpperCase() + text.slice(1)
  })
  return labels.join(' › ')
}
