import * as v from 'valibot'
import { declaration } from '../../../core/operation/family.ts'
import type { Transaction } from '../../../core/operation/transaction.ts'
import { documented, named } from '../../../core/schema/documentation.ts'
import { refuse } from '../../../core/schema/errors.ts'
import { general } from '../../../core/schema/general-errors.ts'
import { rule } from '../../../core/schema/rule.ts'
import { domainDialect } from './dialect.ts'
import { type DomainRecord, domains } from './records.ts'
import { newDomain, requireFreeDomain, takenErrors } from './reserved-domains.ts'
import { domainView, shape } from './schemas.ts'

const DESCRIPTION = 'Your dev domain'

const WORDS = [
  'badger beaver falcon gecko heron lizard marmot otter panda puffin salmon sparrow stork toucan walrus wombat',
  'baking building calling climbing dancing drawing flying humming jumping learning painting reading running sharing singing walking',
  'boldly brightly calmly clearly eagerly easily firmly freely gladly kindly neatly openly precisely quietly slowly warmly',
].map((words) => words.split(' '))

const WORDS_PER_LIST = 16

/** Words joined by hyphens. */
const LABEL = /^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/

function removeBase(name: string, base: string): string {
  return name.endsWith(`.${base}`) ? name.slice(0, -base.length - 1) : name
}

const name = v.pipe(
  v.string(),
  v.toLowerCase(),
  rule([], (text, report, { dialect }) => {
    const base = String(domainDialect(dialect).devDomainBase)
    if (!LABEL.test(removeBase(text, base))) {
      report(general.field_invalid, { allowed: `words such as "heron-sharing-precisely", with or without ".${base}"` })
    }
  }),
)

// (rules: reserved-domains#dev-domain)
/** The declaration of the account's dev domain, which no operation can delete. */
export const devDomain = declaration({
  schema: named(
    v.object({
      name: v.optional(
        documented(name, 'The label of the domain, or its whole name. Default: three words derived from the seed.'),
      ),
    }),
    'DevDomainDeclaration',
    "Declares the account's dev domain, which no operation can create or delete. `gateway.declare.end(id)` removes it.",
  ),
  response: shape,
  errors: takenErrors,
  run: (tx, { name }) => domainView(tx, putDevDomain(tx, name)),
})

/** Returns the name of the account's dev domain, and creates the domain if it does not exist yet (rules: reserved-domains#dev-domain). */
export function provideDevDomain(tx: Transaction): string {
  const own = [...tx.newestFirst(domains)].find(({ is_dev }) => is_dev)
  return (own ?? putDevDomain(tx)).domain
}

function putDevDomain(tx: Transaction, name?: string): DomainRecord {
  const base = requireBase(tx)
  const domain = name === undefined ? findFreeName(tx, base) : `${removeBase(name, base)}.${base}`
  requireFreeDomain(tx, domain, 'name')
  return tx.put(domains, { ...newDomain(tx, { domain, description: DESCRIPTION }), is_dev: true })
}

function requireBase({ dialect }: Transaction): string {
  const allowed = `nothing, because the dialect ${dialect.name} has no dev domain`
  return (
    domainDialect(dialect).devDomainBase ??
    refuse(general.field_invalid, { field: 'dev_domain', received: 'sent', allowed })
  )
}

/** Finds three words that form a free name. The search starts at random words. If no name is free, returns the first name that it tried. */
function findFreeName(tx: Transaction, base: string): string {
  const size = WORDS_PER_LIST ** WORDS.length
  const start = tx.randomInteger(size)
  const makeName = (place: number) => {
    const words = WORDS.map((list, index) => list[Math.floor(place / WORDS_PER_LIST ** index) % WORDS_PER_LIST])
    return `${words.join('-')}.${base}`
  }
  for (let step = 0; step < size; step++) {
    const name = makeName((start + step) % size)
    if (!tx.find(domains, 'domain', name)) return name
  }
  return makeName(start)
}
