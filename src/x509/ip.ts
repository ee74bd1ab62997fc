/** An address of 4 or 16 bytes as text: dotted for IPv4, RFC 5952 for IPv6. Undefined for another length. */
export function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return undefined
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0))
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (mapped) return `::ffff:${bytes.subarray(12).join('.')}`
  const { start, length } = longestZeros(groups)
  if (length < 2) return hex(groups)
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

function hex(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':')
}

/** The longest run of zero groups, the first one of several (RFC 5952, 4.2.3). */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 }
  let start = 0
  groups.forEach((group, i) => {
    if (group !== 0) start = i + 1
    else if (i + 1 - start > longest.length) longest = { start, length: i + 1 - start }
  })
  return longest
}
