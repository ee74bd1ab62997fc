import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { SIGN_IN_OUTCOMES, signInVisitor } from '../sign-in.ts'

export const saml = action({
  type: 'saml',
  about: 'Allows only users who have signed in with a SAML provider. The service does not document its fields.',
  page: 'saml',
  phases: ['on_http_request'],
  outcomes: SIGN_IN_OUTCOMES,
  config: {},
  isOpen: true,
  onlyOne: { group: 'sign-in', number: 2239 },
  notOnPlans: ['free'],
  decisions: [DECISIONS.signIn],
  run: (_, visit) => signInVisitor(visit, {}),
})
