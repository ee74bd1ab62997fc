// The code under test, with seven clients: each has the service's URL built in, and takes no fetch.
import type { IncomingMessage } from 'node:http'
import http from 'node:https'
import axios from 'axios'
import got from 'got'
import ky from 'ky'
import superagent from 'superagent'
import { request, fetch as undiciFetch } from 'undici'

const url = 'https://gateway.example/reserved_domains'
const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** Reserves a domain, and returns its id. */
export type Reserve = (domain: string) => Promise<string>

/** A response of the service: a domain, or an error. */
interface Received {
  readonly id: string
  readonly msg?: string
}

export const onFetch = {
  async ky(domain) {
    return (await ky.post(url, { headers, json: { domain }, retry: 0 }).json<Received>()).id
  },
} satisfies Record<string, Reserve>

export const onNodeHttp = {
  async got(domain) {
    return (await got.post(url, { headers, json: { domain }, retry: { limit: 0 } }).json<Received>()).id
  },
  async axios(domain) {
    return (await axios.post(url, { domain }, { headers, proxy: false })).data.id
  },
  async superagent(domain) {
    return (await superagent.post(url).set(headers).send({ domain })).body.id
  },
  'node:https': (domain) =>
    new Promise((resolve, reject) => {
      const onAnswer = async (answer: IncomingMessage) => {
        const { id, msg } = JSON.parse(Buffer.concat(await answer.toArray()).toString())
        if (id) resolve(id)
        else reject(new Error(msg))
      }
      const outgoing = http.request(url, { method: 'POST', headers }, (answer) => onAnswer(answer).catch(reject))
      outgoing.on('error', reject).end(JSON.stringify({ domain }))
    }),
} satisfies Record<string, Reserve>

export const onUndici: Record<string, Reserve> = {
  async 'undici.request'(domain) {
    const { statusCode, body } = await request(url, { method: 'POST', headers, body: JSON.stringify({ domain }) })
    const { id, msg } = (await body.json()) as Received
    if (statusCode !== 201) throw new Error(msg)
    return id
  },
  async 'undici.fetch'(domain) {
    const answer = await undiciFetch(url, { method: 'POST', headers, body: JSON.stringify({ domain }) })
    const { id, msg } = (await answer.json()) as Received
    if (!answer.ok) throw new Error(msg)
    return id
  },
}
