// The code under test: gives each pull request a preview, with a domain, a certificate, and an endpoint for the office only.
// It uses the global fetch, timers and dates, and knows nothing of fauxgate.
const api = 'https://api.ngrok.com'

export interface Settings {
  readonly apiKey: string
  /** The addresses that may visit a preview, such as `203.0.113.0/24`. */
  readonly office: string
  /** How long a preview may wait for its certificate, in ms. */
  readonly patience: number
}

/** A response of the API that is no success. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly retryAfter: number | undefined,
  ) {
    super(`The API answered ${status} ${code}.`)
  }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// biome-ignore lint/suspicious/noExplicitAny: the bodies of the API are not typed here.
type Json = any

/** Sends one request, and gives up after 10 s. */
async function sendOnce({ apiKey }: Settings, method: string, path: string, body?: object): Promise<Json> {
  const headers = { authorization: `Bearer ${apiKey}`, 'ngrok-version': '2', 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(10_000)
  const answer = await fetch(api + path, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) })
  if (answer.status === 204) return undefined
  const answered = await answer.json()
  if (answer.ok) return answered
  const retryAfter = answer.headers.get('retry-after')
  throw new ApiError(answer.status, answered.error_code, retryAfter ? Number(retryAfter) * 1000 : undefined)
}

/** Does a step up to five times, unless the API says that the request itself is wrong. The step must be repeatable. */
async function retry<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status < 500 && error.status !== 429
      if (isWrong || tries === 5) throw error
      await wait((error instanceof ApiError && error.retryAfter) || 1000 * 2 ** (tries - 1))
    }
  }
}

/** Returns the resource of a preview, or creates it. An earlier try may have created it, although its response was lost. */
function ensure(settings: Settings, path: string, body: { readonly metadata: string }): Promise<Json> {
  return retry(async () => {
    for (let next = `${path}?limit=100`; next; ) {
      const page = await sendOnce(settings, 'GET', next)
      const found = page[path.slice(1)].find((each: Json) => each.metadata === body.metadata)
      if (found) return found
      next = page.next_page_uri?.replace(api, '')
    }
    return sendOnce(settings, 'POST', path, body)
  })
}

/** Deletes a resource. It may be gone already. */
const remove = (settings: Settings, path: string) =>
  retry(() => sendOnce(settings, 'DELETE', path)).catch((error) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })

/** Asks every 5 s whether a domain has its certificate. */
async function waitForCertificate(settings: Settings, id: string): Promise<void> {
  const end = Date.now() + settings.patience
  for (;;) {
    const { certificate, certificate_management_status: status } = await retry(() =>
      sendOnce(settings, 'GET', `/reserved_domains/${id}`),
    )
    if (certificate) return
    if (Date.now() >= end)
      throw new Error(`There is no certificate: ${status?.provisioning_job?.error_code ?? 'no error'}.`)
    await wait(5000)
  }
}

/** Opens the preview of a pull request, and returns its URL. If a step fails, nothing of it is left. */
export async function openPreview(settings: Settings, pull: number): Promise<string> {
  const metadata = `preview-${pull}`
  const domain = `pr-${pull}.preview.example.com`
  const undo: (() => Promise<unknown>)[] = []
  const step = async (path: string, body: object) => {
    const made = await ensure(settings, path, { ...body, metadata })
    undo.unshift(() => remove(settings, `${path}/${made.id}`))
    return made
  }
  try {
    const reserved = await step('/reserved_domains', { domain })
    const policy = await step('/ip_policies', {})
    await step('/ip_policy_rules', { ip_policy_id: policy.id, cidr: settings.office, action: 'allow' })
    await waitForCertificate(settings, reserved.id)
    const rules = [
      { actions: [{ type: 'restrict-ips', config: { enforce: true, ip_policies: [policy.id] } }] },
      { actions: [{ type: 'forward-internal', config: { url: `https://pr-${pull}.internal` } }] },
    ]
    const traffic_policy = JSON.stringify({ on_http_request: rules })
    await step('/endpoints', { url: `https://${domain}`, type: 'cloud', traffic_policy })
    return `https://${domain}`
  } catch (error) {
    for (const each of undo) await each()
    throw error
  }
}
