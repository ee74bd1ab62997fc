// A load generator over plain sockets. It shares the machine with the server, and a complete HTTP client would need
// more time per request than the server.
import { connect } from 'node:net'
import { median } from './measure.mjs'

const END_OF_HEAD = '\r\n\r\n'
const LENGTH = /content-length: (\d+)/i

/**
 * Sends a request, or several in turn, `count` times over `connections` connections, each after the last response.
 * Returns the total time in ms, the times of all responses in ms, and the last response.
 */
export function send({ port, request, connections, count }) {
  const bytes = [request].flat().map((each) => Buffer.from(each))
  const times = []
  const sockets = []
  let sent = 0
  let last
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const finish = () => {
      for (const socket of sockets) socket.destroy()
      resolve({ duration: performance.now() - start, times, last })
    }
    for (let i = 0; i < connections; i++) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1').on('error', reject)
      sockets.push(socket)
      let received = ''
      let sentAt
      const next = () => {
        if (sent === count) return
        sent++
        sentAt = performance.now()
        socket.write(bytes[sent % bytes.length])
      }
      socket.on('connect', next).on('data', (chunk) => {
        received += chunk
        const size = findResponseSize(received)
        if (received.length < size) return
        last = received
        received = ''
        times.push(performance.now() - sentAt)
        if (times.length === count) finish()
        else next()
      })
    }
  })
}

/** The number of rounds that are not counted, in which the servers' code is compiled. */
const WARM_UP_ROUNDS = 2

/**
 * Sends requests to servers in turn. Returns the median rate of each, and its median processor time per request in µs.
 */
export async function compareServers(servers, { rounds, count, connections }) {
  const results = Object.fromEntries(Object.keys(servers).map((name) => [name, { rates: [], cpus: [] }]))
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const [name, { port, request, cpu }] of Object.entries(servers)) {
      const before = await cpu()
      const { duration, last } = await send({ port, request, connections, count })
      if (!/^HTTP\/1.1 20[01]/.test(last)) throw new Error(last)
      if (round < 0) continue
      results[name].rates.push((count / duration) * 1000)
      results[name].cpus.push(((await cpu()) - before) / count)
    }
  }
  const medians = ({ rates, cpus }) => ({ rate: median(rates), cpu: median(cpus) })
  return Object.fromEntries(Object.entries(results).map(([name, each]) => [name, medians(each)]))
}

function findResponseSize(received) {
  const end = received.indexOf(END_OF_HEAD)
  if (end === -1) return Number.POSITIVE_INFINITY
  return end + END_OF_HEAD.length + Number(LENGTH.exec(received)[1])
}
