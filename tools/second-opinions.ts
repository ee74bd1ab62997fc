// Libraries of others that tests compare with, from the packages in this folder.
export { type CelList, isCelError, isCelList, isCelUint, run as runCel } from '@bufbuild/cel'
export { default as hygraph } from '@hygraph/utils'
export { sign as signForGitHub } from '@octokit/webhooks-methods'
export { Webhook as StandardWebhook } from 'standardwebhooks'
export { default as Stripe } from 'stripe'
