import { onTestFinished } from 'vitest'
import { createGateway, manualClock, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** A client of the gateway of a run, as a program in another process has. Rejects with the status of an error. */
export type Send = (method: string, path: string, body?: object) => Promise<Record<string, never> & { id: string }>

/** The code under test: it ends at the signal, as a process does that is killed. */
export type Program = (
  send: Send,
  step: { readonly url: string; readonly run: number; readonly copy: string; readonly life: number },
) => Promise<void>

/** Serves a gateway until the end of the test. Returns a function that makes a control call. */
export async function startControls() {
  const server = await serve(createGateway({ dialect: ngrok, clock: manualClock('2026-01-01T00:00:00Z') }))
  onTestFinished(() => server.close())
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/_fauxgate${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }
}

/** Runs a program as the control API says, up to the last step. */
export async function explore(program: Program, settings: object, prepare: Program = async () => undefined) {
  const control = await startControls()
  const { body: started } = await control('POST', '/explorations', { silence: 0.02, jobs: 4, ...settings })
  const { id } = started
  const running = new Map<string, AbortController>()
  for (;;) {
    const { body: step } = await control('POST', '/explorations/next', { id })
    if (step.do === 'finish') return step
    const { run, copy, life, url } = step
    if (step.do === 'kill') {
      running.get(`${run} ${copy} ${life}`)?.abort(new Error('killed'))
      continue
    }
    const killed = new AbortController()
    running.set(`${run} ${copy} ${life}`, killed)
    const work = step.do === 'setup' ? prepare : program
    const end = (error?: unknown) =>
      control('POST', '/explorations/ended', {
        id,
        run,
        ...(copy && { copy, life }),
        ...(error !== undefined && { error: String(error) }),
      })
    const dies = new Promise<never>((_resolve, reject) => {
      killed.signal.addEventListener('abort', () => reject(killed.signal.reason))
    })
    void Promise.race([work(clientOf(url, killed.signal), step), dies]).then(() => end(), end)
  }
}

function clientOf(url: string, signal: AbortSignal): Send {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`status ${response.status}`)
    return text ? JSON.parse(text) : {}
  }
}
