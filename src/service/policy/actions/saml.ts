import { action } from '../action.ts'
import { signInVisitor } from '../sign-in.ts'

export const saml = action({
  type: 'saml',
  about: 'Lets pass only users who signed in at a SAML provider. The service does not document its fields.',
  page: 'saml',
  phases: ['on_http_request'],
  config: {},
  isOpen: true,
  onlyOne: { group: 'sign-in', number: 2239 },
  notOnPlans: ['free'],
  run: (_, visit) => signInVisitor(visit, {}),
})
