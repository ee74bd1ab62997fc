import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  CONFIGURATION,
  configurationErrors,
  configurationModuleErrors,
  configurationModules,
  configurations,
  ofConfigurations,
  requireFittingModules,
  requireModulesOf,
} from './endpoint-configuration-modules.ts'
import { descriptionAndMetadata } from './shared.ts'

const errors = kit.declareErrors({
  domain_configuration_of_other_type: kit.ofField(
    428,
    400,
    '{field} is {received}, which is of type {type}. Allowed: one of type {expected}.',
  ),
  address_configuration_of_other_type: kit.ofField(
    507,
    400,
    '{field} is {received}, which is of type {type}. Allowed: one of type {expected}.',
  ),
  configuration_in_use: kit.entry(1619, 400, '{id} is linked to {user}. Detach it there before you delete it.'),
  configuration_limit_reached_older: kit.tooMany(1609),
  configuration_limit_reached: kit.tooMany(1670),
})

const TYPE = 'The kind of traffic that the configuration applies to: `http`, `https`, or `tcp`.'

const types = ['http', 'https', 'tcp'] as const
const type = v.pipe(
  v.picklist(['', ...types], types.join(', ')),
  kit.refusedAs(configurationErrors.configuration_type_invalid),
)

const configurationTexts = descriptionAndMetadata({
  description: configurationErrors.configuration_description_too_long,
  metadata: configurationErrors.configuration_metadata_too_long,
})

const { createBody, updateBody } = parts.defineBodies('EndpointConfiguration', 'an endpoint configuration', {
  create: {
    ...configurationTexts,
    type: kit.documented(v.optional(type, ''), TYPE, { isRequired: true, json: { enum: types } }),
    ...configurationModules.body,
  },
  update: { ...configurationTexts, ...configurationModules.body },
  note: '. Omitted modules stay unchanged',
  examples: [{ type: 'https', request_headers: { remove: ['cache-control'] } }, { description: 'app servers' }],
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    type: kit.documented(v.picklist(types), TYPE),
    backend: kit.documented(v.nullable(v.string()), 'Always null, because no operation sets it.'),
    ...configurationModules.shape,
  }),
  'EndpointConfiguration',
  'Modules that apply to the traffic of the reserved domains and addresses that link to the configuration.',
)

/** The type that each link of a domain or address requires. */
const DOMAIN_LINKS = { http_endpoint_configuration_id: 'http', https_endpoint_configuration_id: 'https' }
const ADDRESS_LINKS = { endpoint_configuration_id: 'tcp' }

type OtherType = typeof errors.domain_configuration_of_other_type | typeof errors.address_configuration_of_other_type

/** Creates the rule that a link must refer to a configuration of a matching type if an operation created the configuration. */
function linkRules(error: OtherType, links: Readonly<Record<string, string>>): parts.RulesBefore {
  return {
    errors: [error],
    run(tx, _ids, body) {
      if (!parts.isObject(body)) return
      for (const [field, expected] of Object.entries(links)) {
        const id: string = String(body[field] ?? '')
        const configuration = tx.get(configurations, id)
        if (configuration && configuration.type !== expected)
          kit.refuse(error, { field, received: kit.quote(id), type: configuration.type, expected })
      }
    },
  }
}

/** Creates the row of the table of references for a link of domains or addresses, named by `nameOf`. */
function linkOf<R extends object>(holder: kit.Collection<R>, shown: string, nameOf: (holder: R) => string) {
  return parts.referenceOf(holder, {
    field: `${shown}_id`,
    sent: `${shown}_id`,
    shown,
    to: parts.configurationTarget,
    missing: parts.declarationErrors.endpoint_configuration_not_found,
    deletion: parts.refused(errors.configuration_in_use, (id, user: R) => ({ id, user: nameOf(user) })),
    rules: 'ngrok-families#endpoint-configurations',
  })
}

const family = kit.resource(
  {
    name: 'endpoint_configurations',
    prefix: 'ec',
    what: CONFIGURATION,
    tableFields: ['type'],
    filterable: [],
    errors: { ...errors, ...configurationModuleErrors },
    limit: { reached: errors.configuration_limit_reached, older: errors.configuration_limit_reached_older },
    collection: configurations,
    shape,
    createBody,
    updateBody,
  },
  {
    view: (configuration, wire) => ({
      ...kit.viewHead(configuration, wire, '/endpoint_configurations'),
      type: configuration.type,
      backend: null,
      ...configurationModules.none,
    }),
    related: (tx, { id }) => configurationModules.view(tx, { id }),
    create: {
      errors: [...Object.values(configurationErrors), ...Object.values(configurationModules.errors)],
      run(tx, { type, ...body }) {
        if (type === '') return kit.refuse(configurationErrors.configuration_type_missing, {})
        requireModulesOf(type, body)
        const configuration = tx.put(configurations, { ...kit.newHead(tx, 'ec', body), type })
        parts.declareMade(tx, configuration.id)
        configurationModules.set(tx, { id: configuration.id }, body)
        requireFittingModules(tx, configuration)
        return configuration
      },
    },
    update: {
      errors: [...Object.values(configurationErrors), ...Object.values(configurationModules.errors)],
      run(tx, before, body) {
        requireModulesOf(before.type, body)
        configurationModules.set(tx, { id: before.id }, body)
        requireFittingModules(tx, before)
        return tx.put(configurations, { ...before, ...kit.described(body, before) })
      },
    },
    delete: {
      before(tx, { id }) {
        configurationModules.remove(tx, { id })
        parts.undeclare(tx, id)
      },
    },
    references: [
      linkOf(kit.domains, 'http_endpoint_configuration', ({ domain }) => domain),
      linkOf(kit.domains, 'https_endpoint_configuration', ({ domain }) => domain),
      linkOf(kit.addresses, 'endpoint_configuration', ({ addr }) => addr),
    ],
    before: {
      'reserved_domains.create': linkRules(errors.domain_configuration_of_other_type, DOMAIN_LINKS),
      'reserved_domains.update': linkRules(errors.domain_configuration_of_other_type, DOMAIN_LINKS),
      'reserved_addrs.create': linkRules(errors.address_configuration_of_other_type, ADDRESS_LINKS),
      'reserved_addrs.update': linkRules(errors.address_configuration_of_other_type, ADDRESS_LINKS),
    },
  },
)

/** Endpoint configurations, which reserved domains and addresses link to. */
export const endpointConfigurations = {
  ...family,
  operations: {
    ...family.operations,
    create: ofConfigurations(family.operations.create),
    update: ofConfigurations(family.operations.update),
  },
}
