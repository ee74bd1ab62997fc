import type { Action } from '../action.ts'
import { addHeaders } from './add-headers.ts'
import { aiGateway } from './ai-gateway.ts'
import { basicAuth } from './basic-auth.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { closeConnection } from './close-connection.ts'
import { compressResponse } from './compress-response.ts'
import { customResponse } from './custom-response.ts'
import { deny } from './deny.ts'
import { forwardInternal } from './forward-internal.ts'
import { httpRequest } from './http-request.ts'
import { jwtValidation } from './jwt-validation.ts'
import { log } from './log.ts'
import { oauth } from './oauth.ts'
import { openidConnect } from './openid-connect.ts'
import { owaspCrsRequest } from './owasp-crs-request.ts'
import { owaspCrsResponse } from './owasp-crs-response.ts'
import { rateLimit } from './rate-limit.ts'
import { redirect } from './redirect.ts'
import { removeHeaders } from './remove-headers.ts'
import { requestBodyFindReplace } from './request-body-find-replace.ts'
import { responseBodyFindReplace } from './response-body-find-replace.ts'
import { restrictIps } from './restrict-ips.ts'
import { saml } from './saml.ts'
import { setVars } from './set-vars.ts'
import { sseFindReplace } from './sse-find-replace.ts'
import { terminateTls } from './terminate-tls.ts'
import { urlRewrite } from './url-rewrite.ts'
import { verifyWebhook } from './verify-webhook.ts'

/** The actions of traffic policies. To add an action, add its file and its name here. */
export const ACTIONS: readonly Action[] = [
  addHeaders,
  aiGateway,
  basicAuth,
  circuitBreaker,
  closeConnection,
  compressResponse,
  customResponse,
  deny,
  forwardInternal,
  httpRequest,
  jwtValidation,
  log,
  oauth,
  openidConnect,
  owaspCrsRequest,
  owaspCrsResponse,
  rateLimit,
  redirect,
  removeHeaders,
  requestBodyFindReplace,
  responseBodyFindReplace,
  restrictIps,
  saml,
  setVars,
  sseFindReplace,
  terminateTls,
  urlRewrite,
  verifyWebhook,
]
