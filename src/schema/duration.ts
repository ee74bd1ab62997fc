import type { Facts } from './documentation.ts'

/** A span of time: a number of ms, or a whole number with a unit: `250ms`, `30s`, `5m`, `24h`, `90d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** How messages say what a duration can be. */
export const DURATION_ALLOWED = 'a number of ms, or a whole number with ms, s, m, h or d, such as "30s"'

/** The same where only a text can be given. */
export const inTexts = (allowed: string) => allowed.replace('a number of ms, or ', '')

/** What JSON Schema says of a duration. */
export const DURATION_FACTS: Facts = {
  json: { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,12}(ms|s|m|h|d)$', examples: ['30s'] },
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration as a person would write it: in the largest unit of which it is a whole number. */
export function durationText(ms: number): Duration {
  const unit = (['d', 'h', 'm', 's'] as const).find((each) => ms % (UNIT_MS[each] ?? 1) === 0) ?? 'ms'
  return `${ms / (UNIT_MS[unit] ?? 1)}${unit}`
}

/** A duration in ms, or undefined where the value is none. Durations are whole and not negative. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  const [, count, unit = ''] = (typeof value === 'string' && /^(\d{1,12})(ms|s|m|h|d)$/.exec(value)) || []
  const ms = UNIT_MS[unit]
  return ms === undefined ? undefined : Number(count) * ms
}
