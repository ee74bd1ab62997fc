import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8').replace(/\n(?!\||\n)/g, ' ')

/** Returns a number of the page: the text in the pattern's group. */
function readNumber(pattern: RegExp): number {
  const [, text] = pattern.exec(page) ?? []
  if (text === undefined) throw new Error(`docs/sandbox.md does not say ${pattern}.`)
  return Number(text.replace(/,/g, ''))
}

const MILLION = 1_000_000
const DAYS = 30

const plan = readNumber(/The plan costs (\d+) \$ a month/)
/** The included amount, in millions, and the price of each million more. */
const prices = {
  requests: [
    readNumber(/includes (\d+) million requests to Workers/),
    readNumber(/requests to Workers \(then ([\d.]+) \$/),
  ],
  objects: [readNumber(/(\d+) million to objects/), readNumber(/to objects \(([\d.]+) \$/)],
  time: [readNumber(/(\d+) million ms/), readNumber(/ms of processor time \(([\d.]+) \$/)],
  duration: [readNumber(/([\d,]+) GB-s \(/) / MILLION, readNumber(/GB-s \(([\d.]+) \$/)],
  rows: [readNumber(/(\d+) million rows written/), readNumber(/rows written \(([\d.]+) \$/)],
} as const
const msEach = readNumber(/a request of ([\d.]+) ms/)
const rowsEach = readNumber(/a write of ([\d.]+) rows/)

/** Returns the price of a month's use beyond the plan; amounts are in millions. */
const priceAbove = (kind: keyof typeof prices, amount: number) =>
  Math.max(0, amount - prices[kind][0]) * prices[kind][1]

/** Returns the price of a month of sandboxes that CI uses. */
function costOfCi(sandboxes: number): number {
  const runs = readNumber(/like CI: (\d+) runs a day/)
  const requests = (sandboxes * runs * readNumber(/runs a day of (\d+) requests/) * DAYS) / MILLION
  const objects = priceAbove('requests', requests) + priceAbove('objects', requests)
  return plan + objects + priceAbove('time', requests * msEach) + priceAbove('rows', (requests / 2) * rowsEach)
}

describe('The costs of sandboxes in docs/sandbox.md', () => {
  it('follow from the prices on the page', () => {
    const columns = /^\| sandboxes, used like CI \|(.*)\|$/m.exec(page)?.[1]?.split('|') ?? []
    const costs = /^\| a month \|(.*)\|$/m.exec(page)?.[1]?.split('|') ?? []
    const parseNumber = (text: string) => Number(text.replace(/[ ,$]/g, ''))
    expect(costs.map(parseNumber)).toEqual(columns.map((text) => Math.round(costOfCi(parseNumber(text)))))
    expect(columns).toHaveLength(5)
    expect(readNumber(/^\| like CI.*\| ([\d,]+) \$ \|$/m)).toBe(Math.round(costOfCi(1000)))
  })

  it('for pages that are always open follow from their heartbeats', () => {
    const beats = readNumber(/^\| a page open.*?\| ([\d.]+) M beats/m)
    expect(beats).toBe((1000 * 86_400 * DAYS) / 30 / MILLION)
    const cost = plan + priceAbove('objects', beats / readNumber(/M beats, (\d+) to a request/))
    expect(readNumber(/^\| a page open.*\| ([\d.]+) \$ \|$/m)).toBe(Math.round(cost * 100) / 100)
    const duration = (1000 * 86_400 * DAYS * readNumber(/s × ([\d.]+) GB/)) / MILLION
    expect(readNumber(/([\d.]+) million GB-s,/)).toBe(Math.round(duration * 10) / 10)
    expect(readNumber(/million GB-s, ([\d,]+) \$/)).toBe(Math.round(priceAbove('duration', duration)))
  })
})
