/** Letters of 1, 2, 3, and 4 bytes, because string limits count bytes. */
const LETTERS_BY_SIZE = ['x', 'é', '語', '𝒳']

/** Returns a function that removes and returns the lowest digit of a number in any base. */
function digitsOf(number: number): (size: number) => number {
  let rest = number
  return (size) => {
    const digit = rest % size
    rest = Math.floor(rest / size)
    return digit
  }
}

/** Returns a string with the same kinds of characters. The digits of `number` choose the characters, from the end. */
export function placeholderText(text: string, number: number): string {
  const take = digitsOf(number)
  const characters = [...text].reverse().map((each) => {
    if (/[a-z]/.test(each)) return String.fromCharCode(97 + ((take(26) + 23) % 26))
    if (/[A-Z]/.test(each)) return String.fromCharCode(65 + ((take(26) + 23) % 26))
    if (/\d/.test(each)) return String(take(10))
    return /\p{L}/u.test(each) ? (LETTERS_BY_SIZE[new TextEncoder().encode(each).length - 1] ?? each) : each
  })
  return characters.reverse().join('')
}

/** Returns a placeholder for an address, in the same form. The host bits of a masked address are not changed. */
export function placeholderAddress(text: string, number: number, isCidr: boolean): string {
  const [host = '', mask = ''] = text.split('/')
  const isIPv4 = host.includes('.')
  const parts = host.split(isIPv4 ? '.' : ':')
  const take = digitsOf(number)
  const changeable = isCidr ? Math.floor(Number(mask) / (isIPv4 ? 8 : 16)) : parts.length
  const changed = parts.map((part, index) => {
    if (part === '' || part === '0' || index >= changeable) return part
    if (!isIPv4)
      return part.replaceAll(/[0-9a-f]/gi, (digit, at: number) => {
        if (at === 0) return 'a'
        return /\d/.test(digit) ? String(take(10)) : 'abcdef'.charAt(take(6))
      })
    const [min, size] = part.length === 1 ? [1, 9] : part.length === 2 ? [10, 90] : [100, 100]
    return String(min + ((number * (index + 1)) % size))
  })
  return changed.join(isIPv4 ? '.' : ':') + (isCidr ? `/${mask}` : '')
}
