import type * as v from 'valibot'
import type { Catalogue } from './catalogue.ts'
import type { CommonDialect } from './dialect.ts'
import type { FieldFacts, Problem } from './errors.ts'
import type { Rules } from './rules.ts'

/** What a rule may look at besides the value. */
export interface RuleContext {
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The options of the gateway that change rules. */
  readonly rules: Rules
  /** All errors of the gateway, by key. */
  readonly catalogue: Catalogue
  /** The state that a kept record belongs to; absent where a request is read. */
  readonly state?: StateFacts
}

/** What kept records are checked against: the state they belong to. */
export interface StateFacts {
  /** The time of the state, in ms since 1970. */
  readonly now: number
  /** The number that the next id comes from. */
  readonly sequence: number
}

/** How many problems of one body are handed on; of a body with more, rules only count them. */
export const MOST_HANDED_ON = 100
/** After so many problems of one body, no further rule looks at the rest of it. */
const MOST_COUNTED = 10_000

/** What rules look at where valibot reads a schema by itself: there is no gateway. */
const ALONE: RuleContext = {
  get dialect(): never {
    throw new TypeError('A rule looks at the dialect. Let an operation read its schema, not valibot alone.')
  },
  rules: {},
  catalogue: new Map(),
}

type Issue = v.BaseIssue<unknown>

/** Makes the problem of an issue, once it is known where that stands. */
type Wording = (facts: FieldFacts) => Problem

/** One reading of a value by a schema: what the rules in it look at, and what they have found. */
export class Reading {
  /** How many problems the rules have found. */
  count = 0
  /** Whether the rules stopped looking. */
  isCut = false
  /**
   * Valibot's settings for this reading. Of these it hands the message for whatever has none on to every rule, so that is
   * what carries the reading. An empty message says that the schema has none of its own.
   */
  readonly settings: { readonly message: (() => string) & { readonly reading: Reading } } = {
    message: Object.assign(() => '', { reading: this }),
  }
  #wordings: Map<Issue, Wording> | undefined

  constructor(readonly context: RuleContext) {}

  /** The reading that valibot's settings belong to, or one of its own where valibot reads by itself. */
  static of({ message }: { readonly message?: unknown }): Reading {
    if (typeof message === 'function' && 'reading' in message && message.reading instanceof Reading) {
      return message.reading
    }
    return new Reading(ALONE)
  }

  /** Whether so much is wrong already that no rule needs to look any further. */
  isEnough(): boolean {
    if (this.count < MOST_COUNTED) return false
    this.isCut = true
    return true
  }

  /** Counts a problem that a rule has found, and says whether it is handed on. */
  isHandedOn(): boolean {
    return this.count++ < MOST_HANDED_ON
  }

  /** Keeps how the issue that was added last is put into words. */
  word({ issues }: v.OutputDataset<unknown, Issue>, wording: Wording): void {
    const added = issues?.at(-1)
    this.#wordings ??= new Map()
    if (added) this.#wordings.set(added, wording)
  }

  /** How an issue is put into words where a rule has added it. */
  wordingOf(issue: Issue): Wording | undefined {
    return this.#wordings?.get(issue)
  }
}
