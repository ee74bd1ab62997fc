// Loaded into a served gateway before it begins, with --expose-gc: says what it holds whenever it is asked.
import { readdirSync } from 'node:fs'

process.on('message', () => {
  gc()
  const { rss, heapUsed } = process.memoryUsage()
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name === 'Immediate').length
  process.send({ rss, heap: heapUsed, descriptors: readdirSync('/proc/self/fd').length, timers })
})
process.channel.unref()
