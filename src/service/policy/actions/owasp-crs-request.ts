import { action } from '../action.ts'
import { OWASP_SETS, owasp, refuseOwasp } from '../fields.ts'

export const owaspCrsRequest = action({
  type: 'owasp-crs-request',
  about: 'Denies requests that the OWASP core rule set finds suspicious.',
  page: 'owasp-crs-request',
  phases: ['on_http_request'],
  outcomes: ['allowed', 'denied'],
  config: owasp('request'),
  sets: OWASP_SETS,
  refusal: refuseOwasp(3700, 5),
})
