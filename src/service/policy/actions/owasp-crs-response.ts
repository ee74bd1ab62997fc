import { action } from '../action.ts'
import { OWASP_SETS, owasp, refuseOwasp } from '../fields.ts'

export const owaspCrsResponse = action({
  type: 'owasp-crs-response',
  about: 'Denies responses that the OWASP core rule set finds suspicious.',
  page: 'owasp-crs-response',
  phases: ['on_http_response'],
  outcomes: ['allowed', 'denied'],
  config: owasp('response'),
  sets: OWASP_SETS,
  refusal: refuseOwasp(3702, 4),
})
