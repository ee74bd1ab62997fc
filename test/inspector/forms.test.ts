import { describe, expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrok, standard } from '../../src/index.ts'
import { Service, type ServiceFamily, type ServiceOperation } from '../../src/inspector/service.ts'
import { type Input, listInputs } from '../../src/inspector/shared/schema-inputs.ts'
import { listFamiliesBelow } from '../../src/inspector/tabs/resource-paths.ts'
import type { Page } from '../../tools/browser.ts'
import { CSR } from '../service/ngrok/certificate-requests.ts'
import { SSH_KEYS } from '../service/ngrok/ssh-keys.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { upload } from '../support/pem.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

/** Texts for fields without an example in the document. */
const OWN_TEXTS: Readonly<Record<string, string>> = {
  ...upload(),
  public_key: SSH_KEYS.ed25519,
  description: 'filled in by the test',
  'binding.csr': CSR,
  traffic_policy: 'on_http_request: [{ actions: [{ type: deny }] }]',
  cidr: '192.0.2.0/24',
  action: 'allow',
  value: 'a secret',
  ip_policy_id: 'ipp_1',
  vault_id: 'vault_1',
  ca_pem: createNgrok().authority.certificatePem,
}

/** The ids of the edge and the route that the test declares in the standard dialect. */
const ROUTE = ['edghts_1', 'edghtsrt_1']

interface RefusalBody {
  readonly error_code: string
  readonly msg: string
  readonly details?: object
}

/** Opens the forms of a gateway one by one, fills them from the examples of its document, and sends them. */
class Forms {
  readonly sentOperations: string[] = []
  readonly problems: string[] = []
  readonly #page: Page
  readonly #service: Service
  /** The ids of created resources, by their prefixes. They replace the ids in examples. */
  readonly #createdIds = new Map<string, string>()

  constructor(page: Page, service: Service) {
    this.#page = page
    this.#service = service
  }

  async fill(
    go: (place: string) => Promise<void>,
    idsByFamily: Readonly<Record<string, readonly string[]>>,
  ): Promise<void> {
    for (const family of this.#service.families) {
      const { name, create, itemPath } = family
      if (create && !create.path.includes('{')) {
        await go(`resources/${name}`)
        await this.#button('Create').click()
        await this.#send(create, 'Create')
      }
      const depth = [...itemPath.matchAll(/\{/g)].length
      const ids = idsByFamily[name] ?? this.#findIds(itemPath, depth)
      await go(`resources/${name}/${ids.join('/')}`)
      await this.#side.waitFor()
      await this.#sendAll(family)
    }
  }

  /** Sends every form on the page of one resource. */
  async #sendAll(family: ServiceFamily): Promise<void> {
    const { update, actions } = family
    const inner = listFamiliesBelow(this.#service, family).flatMap(({ create }) => create ?? [])
    const forms = [...(update ? [update] : []), ...inner, ...actions]
    for (const each of forms.filter((one) => listInputs(this.#service, one).length > 0)) {
      const isUpdate = each === update
      const name = isUpdate ? (each.method === 'PUT' ? 'Set' : 'Change') : each.summary
      await this.#button(name).click()
      await this.#send(each, isUpdate ? 'Save' : 'Send')
      // A created resource opens its own page.
      if (inner.includes(each)) await this.#page.goBack()
    }
  }

  get #side() {
    return this.#page.getByRole('complementary')
  }

  #button(name: string) {
    return this.#page.getByRole('button', { name, exact: true })
  }

  async #send(operation: ServiceOperation, verb: string): Promise<void> {
    const inputs = listInputs(this.#service, operation)
    const form = this.#side.locator('form.fields:not(.grid)')
    await form.waitFor()
    await expect.poll(() => form.locator('[placeholder="Loading…"], option:text("Loading…")').count()).toBe(0)
    await form.locator('.field').evaluateAll(
      (fields, texts) => {
        for (const field of fields) {
          const name = (field as HTMLElement).title.split(':')[0] ?? ''
          const input = field.querySelector<HTMLInputElement>('input, select, textarea')
          const text = texts[name]
          if (!input || text === undefined) throw new Error(`There is no input of ${name}.`)
          if (text === '') continue
          // A menu of several ids takes one at a time.
          input.value = input.tagName === 'SELECT' && text.startsWith('[') ? JSON.parse(text)[0] : text
          input.dispatchEvent(new Event(input.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
        }
        if (fields.length !== Object.keys(texts).length) throw new Error('A field is missing.')
      },
      Object.fromEntries(inputs.map((each) => [each.path.join('.'), this.#text(operation, each)])),
    )
    // The check of a policy is a call of the control API.
    const pendingResponse = this.#page.waitForResponse(
      (each) => each.request().method() === operation.method && !each.url().includes('/_fauxgate/'),
    )
    await form.getByRole('button', { name: verb, exact: true }).click()
    const answer = await pendingResponse
    this.sentOperations.push(operation.name)
    if (answer.ok()) {
      const { id } = (await answer.json().catch(() => ({}))) as { id?: string }
      if (id) this.#createdIds.set(id.split('_')[0] ?? '', id)
      await form.waitFor({ state: 'detached' })
      return
    }
    const { error_code: code, msg, details } = (await answer.json()) as RefusalBody
    const refusal = form.getByRole('alert').first()
    await refusal.waitFor()
    const isAtField = (await form.locator('.field [role=alert]').count()) > 0
    const namesField = Object.keys(details ?? {}).some((name) => name.startsWith('field:'))
    const message = String(await refusal.textContent())
    if (verb === 'Create' || answer.status() >= 500 || message === '' || isAtField !== namesField)
      this.problems.push(
        `${operation.name}: ${answer.status()} ${code} ${msg} ${JSON.stringify(details)}; said: ${message}`,
      )
    await form.getByRole('button', { name: 'Cancel' }).click()
  }

  /** Returns the text for a field, from the example of the body or the field, with ids of created resources. */
  #text(operation: ServiceOperation, { path, schema }: Input): string {
    const [example] = this.#service.resolve(operation.body).examples ?? []
    const bodyValue = path.reduce<unknown>((value, name) => Object(value)[name], example)
    const at = path.join('.')
    const value =
      OWN_TEXTS[at] ?? bodyValue ?? (at === 'name' ? operation.name.split('.')[0] : schema.examples?.[0]) ?? ''
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text.replace(/\b([a-z]+)_\w+/g, (id, prefix: string) => this.#createdIds.get(prefix) ?? id)
  }

  #findIds(itemPath: string, depth: number): string[] {
    if (itemPath.startsWith('/event_subscriptions/') && depth === 2)
      return [this.#createdIds.get('esb') ?? 'esb_1', 'ip_policy_created.v0']
    const [, kind = ''] = /^\/edges\/(\w+)/.exec(itemPath) ?? []
    if (depth === 2)
      return [this.#createdIds.get('edghts') ?? ROUTE[0], this.#createdIds.get('edghtsrt') ?? ROUTE[1]].map(String)
    const edge = { https: 'edghts', tcp: 'edgtcp', tls: 'edgtls' }[kind]
    return [this.#createdIds.get(edge ?? '') ?? [...this.#createdIds.values()].at(-1) ?? 'none_1']
  }
}

describe.skipIf(!CHROMIUM)('Every form of every operation, filled from the examples of the document', () => {
  const open = useInspector()

  test.each([
    [standard, {}],
    [ngrok, ngrokFamilies],
  ] as const)(
    'is sent, and accepted, or rejected with a reason at the field that the reason names: $name',
    async (dialect, families) => {
      const { server, page, go } = await open({ dialect, families })
      const service = new Service(JSON.parse(JSON.stringify(openApi(dialect, { families }))))
      const idsByFamily: Record<string, readonly string[]> = {}
      const declaration = dialect === ngrok ? { tunnel_session: {} } : { edge: ROUTE[0], routes: [ROUTE[1]] }
      const answer = await sendRequest(server, 'POST', '/_fauxgate/declare', declaration)
      if (dialect === ngrok) idsByFamily.tunnel_sessions = (await answer.text()).match(/ts_\w{27}/) ?? []
      const forms = new Forms(page, service)
      await forms.fill(go, idsByFamily)
      expect(forms.problems).toEqual([])
      const withForms = service.operations.filter(
        (each) => each.method !== 'GET' && listInputs(service, each).length > 0,
      )
      const withoutFields = service.operations.filter(
        ({ body }) => body && Object.keys(service.resolve(body).properties ?? {}).length === 0,
      )
      expect(withoutFields).toEqual([])
      expect(forms.sentOperations.toSorted()).toEqual(withForms.map(({ name }) => name).toSorted())
    },
  )
})
