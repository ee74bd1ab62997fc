import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8').replace(/\n(?!\||\n)/g, ' ')

/** A number of the page: what stands in the pattern's group. */
function stated(pattern: RegExp): number {
  const [, text] = pattern.exec(page) ?? []
  if (text === undefined) throw new Error(`docs/sandbox.md does not say ${pattern}.`)
  return Number(text.replace(/,/g, ''))
}

const MILLION = 1_000_000
const DAYS = 30

const plan = stated(/The plan costs (\d+) \$ a month/)
/** The included amount, in millions, and the price of each million more. */
const prices = {
  requests: [stated(/includes (\d+) million requests to Workers/), stated(/requests to Workers \(then ([\d.]+) \$/)],
  objects: [stated(/(\d+) million to objects/), stated(/to objects \(([\d.]+) \$/)],
  time: [stated(/(\d+) million ms/), stated(/ms of processor time \(([\d.]+) \$/)],
  awake: [stated(/([\d,]+) GB-s \(/) / MILLION, stated(/GB-s \(([\d.]+) \$/)],
  rows: [stated(/(\d+) million rows written/), stated(/rows written \(([\d.]+) \$/)],
} as const
const msEach = stated(/a request of ([\d.]+) ms/)
const rowsEach = stated(/a write of ([\d.]+) rows/)

/** Returns the price of a month's use beyond the plan; amounts are in millions. */
const above = (what: keyof typeof prices, amount: number) => Math.max(0, amount - prices[what][0]) * prices[what][1]

/** A month of so many sandboxes that are used as by CI. */
function asByCi(sandboxes: number): number {
  const runs = stated(/like CI: (\d+) runs a day/)
  const requests = (sandboxes * runs * stated(/runs a day of (\d+) requests/) * DAYS) / MILLION
  const objects = above('requests', requests) + above('objects', requests)
  return plan + objects + above('time', requests * msEach) + above('rows', (requests / 2) * rowsEach)
}

describe('The costs of sandboxes in docs/sandbox.md', () => {
  it('follow from the prices on the page', () => {
    const columns = /^\| sandboxes, used like CI \|(.*)\|$/m.exec(page)?.[1]?.split('|') ?? []
    const costs = /^\| a month \|(.*)\|$/m.exec(page)?.[1]?.split('|') ?? []
    const number = (text: string) => Number(text.replace(/[ ,$]/g, ''))
    expect(costs.map(number)).toEqual(columns.map((text) => Math.round(asByCi(number(text)))))
    expect(columns).toHaveLength(5)
    expect(stated(/^\| like CI.*\| ([\d,]+) \$ \|$/m)).toBe(Math.round(asByCi(1000)))
  })

  it('for pages that are always open follow from their heartbeats', () => {
    const beats = stated(/^\| a page open.*?\| ([\d.]+) M beats/m)
    expect(beats).toBe((1000 * 86_400 * DAYS) / 30 / MILLION)
    const told = plan + above('objects', beats / stated(/M beats, (\d+) to a request/))
    expect(stated(/^\| a page open.*\| ([\d.]+) \$ \|$/m)).toBe(Math.round(told * 100) / 100)
    const awake = (1000 * 86_400 * DAYS * stated(/s × ([\d.]+) GB/)) / MILLION
    expect(stated(/([\d.]+) million GB-s,/)).toBe(Math.round(awake * 10) / 10)
    expect(stated(/million GB-s, ([\d,]+) \$/)).toBe(Math.round(above('awake', awake)))
  })
})
