// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { RouteIds, RouteModule } from './shared.ts'

/**
 * A webhook verification as it is to be. Refused as `webhook_secret_not_accepted`, `webhook_secret_missing`,
 * `webhook_provider_missing`, `webhook_provider_unsupported`.
 */
export interface WebhookVerificationBody {
  /** Whether the module applies to the traffic of the route. Default: true. (rules: route-modules#singletons) */
  readonly enabled?: boolean | undefined
  /**
   * Who sends the webhooks: one of the list in letters of either case, answered as sent. One of `aftership`, `airship`,
   * `alchemy`, `autodesk`, `bitbucket`, `bolt`, `box`, `brex`, `buildkite`, `calendly`, `castle`, `chargify`,
   * `circleci`, `clearbit`, `clerk`, `coinbase`, `contentful`, `docusign`, `dropbox`, `facebook_graph_api`,
   * `facebook_messenger`, `frameio`, `github`, `gitlab`, `go1`, `graphcms`, `heroku`, `hostedhooks`, `hubspot`,
   * `instagram`, `intercom`, `jira`, `launch_darkly`, `linear`, `mailchimp`, `mailgun`, `microsoft_teams`,
   * `modern_treasury`, `mongodb`, `mux`, `orb`, `orbit`, `pagerduty`, `pinwheel`, `plivo`, `pusher`, `sendgrid`,
   * `sentry`, `shopify`, `signal_sciences`, `slack`, `sns`, `sonatype`, `square`, `stripe`, `svix`, `terraform`,
   * `tiktok`, `trendmicro_conformity`, `twilio`, `twitter`, `typeform`, `vmware`, `webex`, `whatsapp`, `worldline`,
   * `xero`, `zendesk`, `zoom`. Required. (rules: webhook-verification#provider)
   */
  readonly provider?: string | undefined
  /**
   * What requests of the provider are checked with: required for every provider but `sns`, which has none. (rules:
   * webhook-verification#secret)
   */
  readonly secret?: string | undefined
}

/** Lets only those webhooks pass that their provider has signed. */
export interface WebhookVerification extends WebhookVerificationBody {
  readonly enabled: boolean
  readonly provider: string
  readonly secret: string
}

/** The calls of `gateway.webhookVerification`. */
export interface WebhookVerificationModule extends RouteModule<WebhookVerification> {
  /**
   * Replace the webhook verification module of a route: `PUT /edges/https/{edge_id}/routes/{id}/webhook_verification`.
   * @throws GatewayError what ids and fields are refused as; 400: `field_unknown` 214, `field_invalid` 215.
   */
  replace(ids: RouteIds, body?: WebhookVerificationBody): WebhookVerification
}
