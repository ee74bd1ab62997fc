import type { SignatureScheme } from './scheme.ts'

/** A header with a time and signatures, such as `t=…,v1=…`, whose signature covers the time and the body. */
export const timed = (signature: string, time: string, prefix: string): SignatureScheme => ({
  signature,
  prefix,
  separator: ',',
  timestamp: { entry: time },
  signed: '{timestamp}.{body}',
})

/** The signature defined by Standard Webhooks, with the names of its headers. */
export const standard = (names: 'svix' | 'webhook'): SignatureScheme => ({
  signature: `${names}-signature`,
  prefix: 'v1,',
  separator: ' ',
  encoding: 'base64',
  timestamp: `${names}-timestamp`,
  isInSeconds: true,
  values: { id: `${names}-id` },
  signed: '{id}.{timestamp}.{body}',
  secret: 'whsec',
})

/** A body signature as sent by a WebSub hub. */
export const hub = (algorithm: 'sha1' | 'sha256', signature = 'x-hub-signature'): SignatureScheme => ({
  signature,
  algorithm: `hmac-${algorithm}`,
  prefix: `${algorithm}=`,
})

/** The signatures of Meta products. */
export const meta = [hub('sha256', 'x-hub-signature-256'), hub('sha1')]
/** The signatures of Svix, under Svix's own header names and the standard's. */
export const svix = [standard('svix'), standard('webhook')]
