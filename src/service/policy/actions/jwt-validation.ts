import { action, type Field } from '../action.ts'
import { readField } from '../cel/values.ts'
import { DECISIONS } from '../decisions.ts'
import { nameItems } from '../fields.ts'

const values = (about: string, more: { readonly takesCel?: true; readonly isRequired?: true }): Field => ({
  kind: 'object',
  about,
  fields: {
    allow_list: {
      kind: 'list',
      min: 1,
      about: 'The allowed values.',
      ...(more.isRequired && { isRequired: true }),
      item: {
        kind: 'object',
        about: 'An allowed value.',
        fields: { value: { kind: 'text', minLength: 1, isRequired: true, about: 'The value.', ...more } },
      },
    },
  },
})

const tokens: Field = {
  kind: 'list',
  min: 1,
  isRequired: true,
  about: 'The locations of the tokens in a request. All tokens must be present.',
  item: {
    kind: 'object',
    about: 'A token.',
    fields: {
      type: {
        kind: 'text',
        choices: ['id_token', 'access_token', 'at+jwt', 'it+jwt', 'plain', 'jwt'],
        isRequired: true,
        about: 'The kind of the token.',
      },
      method: { kind: 'text', choices: ['header', 'body'], isRequired: true, about: 'Where the token is.' },
      name: { kind: 'text', minLength: 1, takesCel: true, isRequired: true, about: 'The name of the header or field.' },
      prefix: { kind: 'text', takesCel: true, about: 'The text before the token, such as `Bearer `.' },
    },
  },
}

const keys: Field = {
  kind: 'list',
  min: 1,
  takesOne: true,
  isRequired: true,
  about: 'The keys that verify tokens.',
  item: {
    kind: 'object',
    about: 'A set of keys.',
    fields: {
      identification: {
        kind: 'list',
        takesOne: true,
        about: 'The claims that identify a key.',
        item: {
          kind: 'object',
          about: 'The claims of a token.',
          fields: {
            token_claims: {
              kind: 'list',
              item: { kind: 'text', choices: ['kid'], about: 'A claim.' },
              about: 'The claims in the token.',
            },
          },
        },
      },
      sources: {
        kind: 'list',
        min: 1,
        takesOne: true,
        isRequired: true,
        about: 'Where keys come from.',
        item: {
          kind: 'object',
          about: 'A source of keys.',
          fields: {
            additional_jkus: {
              kind: 'list',
              item: { kind: 'text', format: 'url', takesCel: true, about: 'A URL.' },
              isRequired: true,
              about: 'The URLs of JWKS documents.',
            },
          },
        },
      },
    },
  },
}

/** Returns the values that several issuers or audiences in a config allow, by their locations. */
function listAllowed(config: object) {
  return ['issuer', 'audience'].flatMap((name) => {
    const list = readPath(config, [name, 'allow_list'])
    const values: readonly unknown[] = Array.isArray(list) ? list : []
    return nameItems(`${name}.allow_list`, values).map((part, index) => ({
      part,
      value: readPath(values[index], ['value']),
    }))
  })
}

/** Returns a value nested in objects, or undefined if it doesn't exist. */
function readPath(owner: unknown, names: readonly string[]): unknown {
  return names.reduce(readField, owner)
}

export const jwtValidation = action({
  type: 'jwt-validation',
  about: 'Rejects requests without a valid JSON Web Token.',
  page: 'jwt-validation',
  phases: ['on_http_request'],
  outcomes: ['accepted', 'refused'],
  config: {
    issuer: { ...values('The allowed issuers of tokens.', { takesCel: true, isRequired: true }), isRequired: true },
    audience: values('The allowed audiences of tokens.', {}),
    http: { kind: 'object', fields: { tokens }, isRequired: true, about: 'The tokens that a request must carry.' },
    jws: {
      kind: 'object',
      isRequired: true,
      about: 'How tokens are signed.',
      fields: {
        allowed_algorithms: {
          kind: 'list',
          min: 1,
          isRequired: true,
          about: 'The signature algorithms. `none` is not allowed.',
          item: {
            kind: 'text',
            choices: ['256', '384', '512']
              .flatMap((bits) => ['RS', 'ES', 'PS', 'HS'].map((kind) => kind + bits))
              .concat('EdDSA'),
            about: 'An algorithm.',
          },
        },
        keys,
      },
    },
  },
  sets: { tokens: { type: 'list<Token>', about: 'The tokens, each with `header`, `payload`, `verified`, and more.' } },
  decisions: [DECISIONS.claims],
  parts: (config) => listAllowed(config).map(({ part }) => part),
  async run(config, visit) {
    const outcome = await visit.validateJwt(config)
    const tokens: unknown = outcome.isRefusal ? [] : outcome.sets?.tokens
    const payloads = Array.isArray(tokens) ? tokens.map((token) => readPath(token, ['payload'])) : []
    const claims = payloads.flatMap((payload) => [readPath(payload, ['iss']), readPath(payload, ['aud'])].flat())
    return { ...outcome, parts: listAllowed(config).flatMap(({ part, value }) => (claims.includes(value) ? part : [])) }
  },
})
