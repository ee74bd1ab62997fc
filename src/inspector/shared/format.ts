const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** Formats a length of time in its two largest units: `2 d 3 h`, `30 s`. */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1000))
  const counts = UNITS.map(([unit, size]) => {
    const count = Math.floor(left / size)
    left %= size
    return { count, text: `${count} ${unit}` }
  })
  const first = counts.findIndex(({ count }) => count > 0)
  if (first < 0) return '0 s'
  const [largest, next] = counts.slice(first, first + 2)
  return next?.count ? `${largest?.text} ${next.text}` : `${largest?.text}`
}

export function formatTime(time: string | number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Formats a timestamp as seen from now: `in 30 s`, `2 d ago`, `now`. */
export function formatRelative(timestamp: string, now: number): string {
  const ms = Date.parse(timestamp) - now
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(-ms)} ago`
}

/** Formats a number with its thousands apart: `1,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** Formats a number with its noun: `1 record`, `2 records`. */
export function formatCounted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
