/** The beginning and the end of what was found in a text. */
type Part = readonly [from: number, to: number]

/** More texts than these are not looked for one by one before the tree is built. */
const FEW = 16

/** The number of characters by which the absence of a text is noticed. More would take long in a text that repeats them. */
const BEGINNING = 8

/**
 * Finds any of several texts in another one, by the algorithm of Aho and Corasick: in as many steps as there are characters
 * in all of them together, whatever they repeat.
 */
export class TextSearch {
  readonly #texts: readonly string[]
  #tree: Tree | undefined

  constructor(texts: Iterable<string>) {
    this.#texts = [...new Set(texts)]
  }

  /** Returns a text in which a replacement is in the place of what was found; finds that overlap are one. */
  replacedIn(text: string, replacement: string): string {
    // Most texts have none of them. Finding that out is cheaper than building the tree.
    const isFew = this.#texts.length <= FEW
    if (isFew && !this.#texts.some((each) => text.includes(each.slice(0, BEGINNING)))) return text
    this.#tree ??= new Tree(this.#texts)
    let shown = ''
    let end = 0
    for (const [from, to] of this.#tree.partsIn(text)) {
      shown += text.slice(end, from) + replacement
      end = to
    }
    return shown + text.slice(end)
  }
}

const ROOT = 0
const CODES = 65_536

class Tree {
  /** The next node, by node and character. */
  readonly #next = new Map<number, number>()
  /** For each node: the node of its longest other ending in the tree, and the length of the longest text that ends there. */
  readonly #shorter = [ROOT]
  readonly #found = [0]

  /** Adds the first characters of all texts, then the second ones: a node's shorter endings are there before it. */
  constructor(texts: readonly string[]) {
    let growing = texts.map((text) => ({ text, node: ROOT }))
    for (let at = 0; growing.length > 0; at++) {
      growing = growing.filter(({ text }) => at < text.length)
      for (const branch of growing) {
        branch.node = this.#grown(branch.node, branch.text.charCodeAt(at))
        if (at + 1 === branch.text.length) this.#found[branch.node] = at + 1
      }
    }
  }

  #grown(node: number, code: number): number {
    const known = this.#next.get(node * CODES + code)
    if (known !== undefined) return known
    const shorter = node === ROOT ? ROOT : this.#after(this.#shorter[node] ?? ROOT, code)
    const grown = this.#shorter.push(shorter) - 1
    this.#found.push(this.#found[shorter] ?? 0)
    this.#next.set(node * CODES + code, grown)
    return grown
  }

  /** Returns the node of the longest ending after one more character. */
  #after(node: number, code: number): number {
    for (let from = node; ; from = this.#shorter[from] ?? ROOT) {
      const next = this.#next.get(from * CODES + code)
      if (next !== undefined) return next
      if (from === ROOT) return ROOT
    }
  }

  partsIn(text: string): Part[] {
    const parts: Part[] = []
    let node = ROOT
    for (let at = 0; at < text.length; at++) {
      node = this.#after(node, text.charCodeAt(at))
      const length = this.#found[node] ?? 0
      if (length > 0) add(parts, at + 1 - length, at + 1)
    }
    return parts
  }
}

/** Adds a part that begins or ends after all others. */
function add(parts: Part[], from: number, to: number): void {
  let [start, end] = [from, to]
  for (let last = parts.at(-1); last && last[1] > from; last = parts.at(-1)) {
    start = Math.min(start, last[0])
    end = Math.max(end, last[1])
    parts.pop()
  }
  parts.push([start, end])
}
