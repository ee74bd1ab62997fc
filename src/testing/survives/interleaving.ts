/** One turn in an order: a copy runs until it has taken `count` steps, or until it sleeps or ends. */
export interface Turn {
  readonly copy: string
  count?: number
}

/** A request or an effect that was let through. */
interface Step {
  readonly copy: string
  /** The copies that were waiting, including this copy. */
  readonly waiting: readonly string[]
  /** The copy that continues if no order is given. */
  readonly usual: string
  /** True if the copy from the previous step was also waiting. */
  readonly isInTurn: boolean
  /** False for a request that changed nothing. */
  hasChanged: boolean
}

/** An order worth trying, with the number of its switches. */
export interface Order {
  readonly turns: readonly Turn[]
  readonly switches: number
}

/** Lets the requests and effects of copies through, one at a time, in the order of a schedule. */
export class Interleaving {
  readonly steps: Step[] = []
  readonly #turns: Turn[]
  /** True if a copy could not take a turn of the order. */
  #isMissed = false
  #queue: { readonly copy: string; readonly go: (step: Step) => void }[] = []
  /** The copies that were preempted by another copy, most recent last. */
  readonly #interrupted: string[] = []

  constructor(turns: readonly Turn[]) {
    this.#turns = turns.map((turn) => ({ ...turn }))
  }

  /** Resolves when the copy may continue. */
  wait(copy: string): Promise<Step> {
    return new Promise((go) => void this.#queue.push({ copy, go }))
  }

  /** The copies that wait. */
  get waiting(): ReadonlySet<string> {
    return new Set(this.#queue.map(({ copy }) => copy))
  }

  /** Lets the next request or effect through. Returns false if none is waiting. */
  next(): boolean {
    const waiting = [...this.waiting].sort()
    const [first] = waiting
    if (first === undefined) return false
    const before = this.steps.at(-1)?.copy ?? ''
    const isInTurn = waiting.includes(before)
    const usual = isInTurn ? before : (this.#interrupted.findLast((copy) => waiting.includes(copy)) ?? first)
    const copy = this.#choose(waiting, before) ?? usual
    if (isInTurn && copy !== before) this.#interrupted.push(before)
    const step: Step = { copy, waiting, usual, isInTurn, hasChanged: true }
    this.steps.push(step)
    const place = this.#queue.findIndex((each) => each.copy === copy)
    for (const { go } of this.#queue.splice(place, 1)) go(step)
    return true
  }

  /** Drops the requests and effects that a crashed copy is waiting for. */
  drop(crashed: string): void {
    this.#queue = this.#queue.filter(({ copy }) => copy !== crashed)
  }

  #choose(waiting: readonly string[], before: string): string | undefined {
    for (let [turn] = this.#turns; turn; [turn] = this.#turns) {
      if (waiting.includes(turn.copy) && turn.count !== 0) {
        if (turn.count) turn.count--
        return turn.copy
      }
      if (turn.count || (turn.count === undefined && turn.copy !== before)) this.#isMissed = true
      this.#turns.shift()
    }
    return undefined
  }

  /** True if the order contains turns that the copies did not take. */
  get hasTurnsLeft(): boolean {
    return this.#isMissed || this.#turns.length > 1
  }

  /** Returns the turns that were taken before a step. */
  turnsBefore(end: number): readonly Turn[] {
    const turns: Turn[] = []
    for (const [place, { copy }] of this.steps.slice(0, end).entries()) {
      const last = turns.at(-1)
      if (last?.copy === copy) last.count = (last.count ?? 0) + 1
      else turns.push({ copy, count: 1 })
      const next = this.steps[place + 1]
      // A copy that sleeps or ends needs no count.
      if (!next?.isInTurn && (place + 1 === end || next?.copy !== copy)) delete turns.at(-1)?.count
    }
    return turns
  }

  /** Returns the turns up to the one after the order's last choice, and at least one for each copy. */
  get order(): readonly Turn[] {
    const { steps } = this
    const chosen = steps.findLastIndex(({ copy, usual }) => copy !== usual)
    const copies = new Set(steps.map(({ copy }) => copy)).size
    return this.turnsBefore(steps.length).slice(0, Math.max(copies, this.turnsBefore(chosen + 1).length + 1))
  }

  /**
   * Returns the orders in which another copy continues before one of the steps.
   * @param isReduced true to omit an order that only swaps requests that changed nothing
   */
  otherOrders(isReduced: boolean): Order[] {
    let switches = 0
    const started = new Set<string>()
    return this.steps.flatMap(({ copy, waiting, usual, isInTurn, hasChanged }, place) => {
      // Another copy may start without a switch when the previous copy sleeps or ends.
      const costOf = (chosen: string) => Number(chosen !== usual && (isInTurn || started.has(chosen)))
      const later = this.steps.slice(place + 1).filter((step) => step.copy !== copy)
      const isNeeded = !isReduced || hasChanged || later.some((step) => step.hasChanged)
      // The usual copy was tried before any other.
      const others = waiting.filter((each) => each !== copy && each !== usual && (isNeeded || costOf(each) === 0))
      const turns = this.turnsBefore(place)
      const orders = others.map((each) => ({
        turns: [...turns, { copy: each }],
        switches: switches + costOf(each),
      }))
      switches += costOf(copy)
      started.add(copy)
      return orders
    })
  }
}

/** Formats turns as a string, such as `A1 B A`. */
export const formatOrder = (turns: readonly Turn[]) => turns.map(({ copy, count = '' }) => `${copy}${count}`).join(' ')

/** Parses a string from {@link formatOrder}. */
export function readOrder(text: string): Turn[] {
  return text.split(' ').map((turn) => ({ copy: turn.charAt(0), ...(turn[1] && { count: Number(turn.slice(1)) }) }))
}

/** Returns the text for a number of switches. */
export function countSwitches(count: number): string {
  if (count < 2) return count === 0 ? 'without a switch' : 'with one switch'
  return `with up to ${count} switches`
}

/** Returns all permutations of these names. */
export function permutationsOf(names: readonly string[]): string[][] {
  if (names.length === 0) return [[]]
  return names.flatMap((name) => permutationsOf(names.filter((each) => each !== name)).map((rest) => [name, ...rest]))
}
