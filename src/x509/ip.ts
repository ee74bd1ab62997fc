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

/** The 4 or 16 bytes of an IPv4 or IPv6 address, or undefined where the text is none. A zone (`%eth0`) is not allowed. */
export function ipBytes(text: string): Uint8Array | undefined {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text)
}

function ipv4Bytes(text: string): Uint8Array | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  const numbers = text.split('.').map(Number)
  // A leading 0 is an octal number to some.
  return numbers.every((number) => number < 256) && numbers.join('.') === text ? Uint8Array.from(numbers) : undefined
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined
  // The platform writes it in groups of hex digits, with at most one "::".
  const [start = '', end = ''] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const [first, last] = [groupsOf(start), groupsOf(end)]
  const groups = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
