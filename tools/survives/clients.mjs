// Correct clients with fifteen retry libraries. Each looks for an address, and reserves it if it is missing.
import retryAsync from 'async-retry'
import axios, { isAxiosError } from 'axios'
import axiosRetry from 'axios-retry'
import Bottleneck from 'bottleneck'
import {
  ConstantBackoff,
  ExponentialBackoff,
  handleAll,
  retry as policyOf,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import { backOff } from 'exponential-backoff'
import fetchRetry from 'fetch-retry'
import got from 'got'
import ky from 'ky'
import { ofetch } from 'ofetch'
import pRetry from 'p-retry'
import { operation } from 'retry'
import { defer, firstValueFrom, retry as retryOf, timer } from 'rxjs'
import superagent from 'superagent'
import wretch from 'wretch'
import { retry as wretchRetry } from 'wretch/middlewares'

const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
const description = 'app'
const body = JSON.stringify({ description })
const isThere = ({ reserved_addrs }) => reserved_addrs.some((each) => each.description === description)

/** Looks for the address once, and reserves it if it is missing. */
async function reserveOnce({ fetch, url }, signal) {
  const send = async (init) => {
    const response = await fetch(`${url}/reserved_addrs`, { headers, signal, ...init })
    if (!response.ok) throw new Error(`${response.status}`)
    return response.json()
  }
  if (!isThere(await send())) await send({ method: 'POST', body })
}

/** Looks for the address with the calls of a client, and reserves it if it is missing. */
async function reserveWithClient({ list, create }) {
  if (!isThere(await list())) await create()
}

/** Tries a whole piece of work three times, for libraries that must not repeat a POST. */
async function tryThreeTimes(work) {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 4) throw error
      await new Promise((resolve) => setTimeout(resolve, 2000))
    }
  }
}

const STATUSES = [429, 503]

/** The clients that take a `fetch`. */
export const OVER_FETCH = {
  'p-retry': (place) => pRetry(() => reserveOnce(place), { retries: 4 }),
  'p-retry, with a time limit for each try': (place) =>
    pRetry(() => reserveOnce(place, AbortSignal.timeout(20_000)), { retries: 4, randomize: true }),
  'async-retry': (place) => retryAsync(() => reserveOnce(place), { retries: 4 }),
  cockatiel: (place) =>
    policyOf(handleAll, { maxAttempts: 4, backoff: new ExponentialBackoff() }).execute(() => reserveOnce(place)),
  'cockatiel, with a time limit': (place) => {
    const tries = policyOf(handleAll, { maxAttempts: 4, backoff: new ConstantBackoff(500) })
    const limit = timeout(30_000, TimeoutStrategy.Aggressive)
    return wrap(tries, limit).execute(({ signal }) => reserveOnce(place, signal))
  },
  ky: (place) => {
    const client = ky.create({
      fetch: place.fetch,
      prefixUrl: place.url,
      headers,
      retry: { limit: 3, methods: ['get'], statusCodes: STATUSES },
    })
    const list = () => client.get('reserved_addrs').json()
    return tryThreeTimes(() =>
      reserveWithClient({ list, create: () => client.post('reserved_addrs', { body }).json() }),
    )
  },
  'exponential-backoff': (place) => backOff(() => reserveOnce(place), { numOfAttempts: 5, jitter: 'full' }),
  'fetch-retry': (place) => {
    const fetch = fetchRetry(place.fetch, { retries: 3, retryDelay: 1000, retryOn: STATUSES })
    const retryReads = (input, init) => (init.method === 'POST' ? place.fetch(input, init) : fetch(input, init))
    return tryThreeTimes(() => reserveOnce({ fetch: retryReads, url: place.url }))
  },
  ofetch: (place) => {
    const client = ofetch.create({ baseURL: place.url, headers }, { fetch: place.fetch, Headers, AbortController })
    const list = () => client('/reserved_addrs', { retry: 2, retryDelay: 500, retryStatusCodes: STATUSES })
    return tryThreeTimes(() =>
      reserveWithClient({ list, create: () => client('/reserved_addrs', { method: 'POST', body }) }),
    )
  },
  wretch: (place) => {
    const client = wretch(place.url).headers(headers).polyfills({ fetch: place.fetch })
    const list = () =>
      client
        .middlewares([wretchRetry({ maxAttempts: 3 })])
        .get('/reserved_addrs')
        .json()
    return tryThreeTimes(() => reserveWithClient({ list, create: () => client.post(body, '/reserved_addrs').json() }))
  },
  retry: (place) =>
    new Promise((resolve, reject) => {
      const tries = operation({ retries: 4 })
      tries.attempt(() =>
        reserveOnce(place).then(resolve, (error) => {
          if (!tries.retry(error)) reject(tries.mainError())
        }),
      )
    }),
  rxjs: (place) => {
    const delay = (_error, count) => timer(count * 1000)
    return firstValueFrom(defer(() => reserveOnce(place)).pipe(retryOf({ count: 4, delay })), {
      defaultValue: undefined,
    })
  },
  bottleneck: (place) => {
    const limiter = new Bottleneck({ maxConcurrent: 1 })
    limiter.on('failed', (_error, { retryCount }) => (retryCount < 4 ? 1000 : undefined))
    return limiter.schedule(() => reserveOnce(place))
  },
}

/** The clients that speak HTTP themselves, with a server on loopback. */
export const OVER_SERVE = {
  'axios-retry': ({ url }) => {
    const client = axios.create({ baseURL: url, headers, proxy: false })
    // By default, axios-retry repeats a POST after a lost connection, and `survives` finds the second address.
    const retryCondition = axiosRetry.isIdempotentRequestError
    axiosRetry(client, { retries: 3, retryDelay: axiosRetry.exponentialDelay, retryCondition })
    const list = async () => (await client.get('/reserved_addrs')).data
    return tryThreeTimes(() =>
      reserveWithClient({ list, create: () => client.post('/reserved_addrs', { description }) }),
    )
  },
  axios: ({ url }) => {
    const client = axios.create({ baseURL: url, headers, proxy: false, timeout: 60_000 })
    const list = async () => (await client.get('/reserved_addrs')).data
    const create = () => client.post('/reserved_addrs', { description })
    return pRetry(() => reserveWithClient({ list, create }), {
      retries: 4,
      shouldRetry: ({ error }) => isAxiosError(error),
    })
  },
  got: ({ url }) => {
    const client = got.extend({ prefixUrl: url, headers, retry: { limit: 3, statusCodes: STATUSES } })
    const list = () => client.get('reserved_addrs').json()
    return tryThreeTimes(() =>
      reserveWithClient({ list, create: () => client.post('reserved_addrs', { body }).json() }),
    )
  },
  superagent: ({ url }) => {
    const list = async () => (await superagent.get(`${url}/reserved_addrs`).set(headers).retry(3)).body
    const create = () => superagent.post(`${url}/reserved_addrs`).set(headers).send({ description })
    return tryThreeTimes(() => reserveWithClient({ list, create }))
  },
}
