// A load generator over plain sockets. It shares the machine with the server, and a complete HTTP client would need more time
// per request than the server.
import { connect } from 'node:net'
import { median } from './measure.mjs'

const END_OF_HEAD = '\r\n\r\n'
const LENGTH = /content-length: (\d+)/i

/**
 * Sends a request, or several in turn, `count` times over `connections` connections, each after the last response. Returns the
 * total time in ms, the times of all responses in ms, and the last response.
 */
export function send({ port, request, connections, count }) {
  const bytes = [request].flat().map((each) => Buffer.from(each))
  const times = []
  const sockets = []
  let sent = 0
  let last
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const done = () => {
      for (const socket of sockets) socket.destroy()
      resolve({ took: performance.now() - start, times, last })
    }
    for (let i = 0; i < connections; i++) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1').on('error', reject)
      sockets.push(socket)
      let received = ''
      let asked
      const next = () => {
        if (sent === count) return
        sent++
        asked = performance.now()
        socket.write(bytes[sent % bytes.length])
      }
      socket.on('connect', next).on('data', (chunk) => {
        received += chunk
        const size = answerSize(received)
        if (received.length < size) return
        last = received
        received = ''
        times.push(performance.now() - asked)
        if (times.length === count) done()
        else next()
      })
    }
  })
}

/** The number of rounds that are not counted, in which the servers' code is compiled. */
const FIRST = 2

/**
 * Sends requests to servers in turn. Returns the median rate of each, and its median processor time per request in µs.
 */
export async function compareServers(servers, { rounds, count, connections }) {
  const found = Object.fromEntries(Object.keys(servers).map((name) => [name, { rates: [], cpus: [] }]))
  for (let round = -FIRST; round < rounds; round++) {
    for (const [name, { port, request, cpu }] of Object.entries(servers)) {
      const before = await cpu()
      const { took, last } = await send({ port, request, connections, count })
      if (!/^HTTP\/1.1 20[01]/.test(last)) throw new Error(last)
      if (round < 0) continue
      found[name].rates.push((count / took) * 1000)
      found[name].cpus.push(((await cpu()) - before) / count)
    }
  }
  const medians = ({ rates, cpus }) => ({ rate: median(rates), cpu: median(cpus) })
  return Object.fromEntries(Object.entries(found).map(([name, each]) => [name, medians(each)]))
}

function answerSize(received) {
  const end = received.indexOf(END_OF_HEAD)
  if (end === -1) return Number.POSITIVE_INFINITY
  return end + END_OF_HEAD.length + Number(LENGTH.exec(received)[1])
}
