/** The start and end of a match, or of several overlapping matches, in a string. */
type Match = readonly [from: number, to: number]

/** The maximum number of strings that the quick search looks for one at a time. */
const MAX_TEXTS_WITHOUT_TREE = 16

/** The number of first characters that the quick search compares. Comparing more would be slow if the string repeats characters. */
const COMPARED_LENGTH = 8

/**
 * Finds any of several strings in a text, with the Aho–Corasick algorithm. The number of steps is linear in the total length, even for
 * repetitive strings. A single regular expression would reject secrets longer than about 30,000 characters. Searching for each secret
 * separately would take 40 s for a 1 MiB body full of secrets.
 */
export class TextSearch {
  readonly #texts: readonly string[]
  #tree: Tree | undefined

  constructor(texts: Iterable<string>) {
    this.#texts = [...new Set(texts)]
  }

  /** Replaces each match in a string. Overlapping matches are replaced together. */
  replaceIn(text: string, replacement: string): string {
    // Most strings don't contain a match. A quick search for beginnings is cheaper than building the tree.
    const isFew = this.#texts.length <= MAX_TEXTS_WITHOUT_TREE
    if (isFew && !this.#texts.some((each) => text.includes(each.slice(0, COMPARED_LENGTH)))) return text
    this.#tree ??= new Tree(this.#texts)
    let replaced = ''
    let end = 0
    for (const [from, to] of this.#tree.findMatches(text)) {
      replaced += text.slice(end, from) + replacement
      end = to
    }
    return replaced + text.slice(end)
  }
}

const ROOT = 0
const CODES = 65_536

/** The tree of all strings. Each node is a prefix of at least one string. */
class Tree {
  /** The next node, by node and character. */
  readonly #next = new Map<number, number>()
  /** The node of each node's longest proper suffix in the tree. */
  readonly #suffix = [ROOT]
  /** The length of the longest string ending at each node. */
  readonly #matchLength = [0]

  /** Adds the first character of every string, then the second, and so on, so that a node's shorter suffixes exist before the node. */
  constructor(texts: readonly string[]) {
    let growing = texts.map((text) => ({ text, node: ROOT }))
    for (let at = 0; growing.length > 0; at++) {
      growing = growing.filter(({ text }) => at < text.length)
      for (const branch of growing) {
        branch.node = this.#grow(branch.node, branch.text.charCodeAt(at))
        if (at + 1 === branch.text.length) this.#matchLength[branch.node] = at + 1
      }
    }
  }

  #grow(node: number, code: number): number {
    const known = this.#next.get(node * CODES + code)
    if (known !== undefined) return known
    const suffix = node === ROOT ? ROOT : this.#findNext(this.#suffix[node] ?? ROOT, code)
    const grown = this.#suffix.push(suffix) - 1
    this.#matchLength.push(this.#matchLength[suffix] ?? 0)
    this.#next.set(node * CODES + code, grown)
    return grown
  }

  /** Returns the node of the longest suffix after one more character. */
  #findNext(node: number, code: number): number {
    for (let from = node; ; from = this.#suffix[from] ?? ROOT) {
      const next = this.#next.get(from * CODES + code)
      if (next !== undefined) return next
      if (from === ROOT) return ROOT
    }
  }

  findMatches(text: string): Match[] {
    const matches: Match[] = []
    let node = ROOT
    for (let at = 0; at < text.length; at++) {
      node = this.#findNext(node, text.charCodeAt(at))
      const length = this.#matchLength[node] ?? 0
      if (length > 0) addMatch(matches, at + 1 - length, at + 1)
    }
    return matches
  }
}

/** Adds a match that ends after all others, and joins it with the matches that it overlaps. */
function addMatch(matches: Match[], from: number, to: number): void {
  let [start, end] = [from, to]
  for (let last = matches.at(-1); last && last[1] > from; last = matches.at(-1)) {
    start = Math.min(start, last[0])
    end = Math.max(end, last[1])
    matches.pop()
  }
  matches.push([start, end])
}
