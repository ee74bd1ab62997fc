import { readFileSync } from 'node:fs'

/** Runs `work` in rounds of about 200 ms and returns the median rate per second. */
export async function rate(work, rounds = 9) {
  let size = 1
  for (;;) {
    const duration = await time(work, size)
    if (duration > 200) break
    size = Math.ceil(size * Math.min(10, 250 / Math.max(duration, 1)))
  }
  const rates = []
  for (let round = 0; round < rounds; round++) rates.push((size / (await time(work, size))) * 1000)
  return median(rates)
}

/**
 * Alternates between competitors, so that the machine's changing speed affects all. Returns their median rates. With `cpuTime`, a second is
 * one of processor time.
 */
export async function race(works, rounds = 11, measure = time) {
  const names = Object.keys(works)
  const sizes = {}
  const rates = Object.fromEntries(names.map((name) => [name, []]))
  for (const name of names) {
    await measure(works[name], 2000)
    sizes[name] = Math.max(1, Math.ceil((150 * 2000) / (await measure(works[name], 2000))))
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) rates[name].push((sizes[name] / (await measure(works[name], sizes[name]))) * 1000)
  }
  return Object.fromEntries(names.map((name) => [name, median(rates[name])]))
}

/** Returns the time of `count` calls, in ms. */
export async function time(work, count) {
  const start = performance.now()
  for (let i = 0; i < count; i++) {
    const pending = work(i)
    if (pending !== undefined && typeof pending?.then === 'function') await pending
  }
  return performance.now() - start
}

/** Returns the processor time of `count` calls, in ms. */
export async function cpuTime(work, count) {
  const start = process.cpuUsage()
  await time(work, count)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

export function print(name, value, target = '') {
  console.log(`${name.padEnd(64)} ${String(value).padStart(16)}   ${target}`)
}

export const format = (number) => Math.round(number).toLocaleString('en-US')

/** Returns the processor time of a process so far, in ms. Linux counts in hundredths of a second. */
export function cpuOf({ pid }) {
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return (Number(user) + Number(system)) * 10
}
