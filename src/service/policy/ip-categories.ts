import { nearest } from '../../core/schema/nearest.ts'

/** The documented IP address categories, by prefix. An address in a category is also in the shorter ones. A star matches any name. */
const CATEGORIES: Readonly<Record<string, string>> = {
  ai: 'perplexity.bot.ipv4,perplexity.user.ipv4',
  blocklist:
    'blocklist_de,com.cinsscore.army,greensnow_co,net.emergingthreats.compromised_ips,org.spamhaus.drop.ipv4,' +
    'org.spamhaus.drop.ipv6,org.team_cymru.fullbogons.ipv4,org.team_cymru.fullbogons.ipv6,stopforumspam',
  'blocklist.blocklist_de': 'apache,bots,bruteforcelogin,ftp,imap,mail,sip,ssh,strongips',
  'blocklist.firehol_org': 'abusers_1d,abusers_30d,level_1,level_2,level_3,level_4,webserver',
  com:
    'ahrefs,algolia.crawer,anthropic.api,apple.applebot.ipv4,apple.icloud-private-relay,aws,aws.sns,' +
    'aws.us-east-1.sns,aws.us-east-2.sns,aws.us-west-1.sns,aws.us-west-2.sns,betterstack.betteruptimebot,' +
    'bing.bingbot.ipv4,brevo.webhooks,cloudflare.ipv4,cloudflare.ipv6,criteo.criteobot,datadog,delinea.ipv4,' +
    'delinea.ipv6,digitalocean,duckduckgo.duckduckbot,facebook.crawler,fastly.ipv4,fastly.ipv6,gitlab.webhooks,' +
    'google.googlebot.ipv4,google.googlebot.ipv6,google.ipv4,google.ipv6,linode,meta.crawler,microsoft.azure,' +
    'openai.chatgpt.actions.ipv4,openai.chatgpt.user.ipv4,openai.gptbot.ipv4,openai.searchbot.ipv4,' +
    'oracle.object_storage,oracle.oci,oracle.osn,pagerduty.webhooks.eu,pagerduty.webhooks.us,pingdom.ipv4,' +
    'pingdom.ipv6,plaid.webhooks,ringcentral,semrush.semrushbot.siteaudit,semrush.splitsignalbot,stripe.api,' +
    'stripe.armada_gator,stripe.webhooks,svix.webhooks,teleport,telnyx.media,telnyx.webhooks,uptimerobot.ipv4,' +
    'uptimerobot.ipv6,vultr,x.twitterbot,yandex,zendesk,zscaler.private.zpa',
  'com.atlassian': 'bitbucket,confluence,email,forge,halp,jira,loom,opsgenie,statuspage,trello',
  'com.datadog':
    'agents,api,apm,global,logs,orchestrator,process,remote-configuration,synthetics,synthetics-private-locations,' +
    'webhooks',
  'com.github':
    'actions,actions_macos,api,codespaces,copilot,dependabot,git,github_enterprise_importer,hooks,importer,' +
    'packages,pages,web',
  'com.ibm': 'advmon_nimsoft,evault,file_block,icos,ims,rhel,service_network,ssl_vpn',
  'com.microsoft.azure':
    'actiongroup,applicationinsightsavailability,autonomousdevelopmentplatform,azuread,' +
    'azureadvancedthreatprotection,azureapiforfhir,azureapimanagement,azureappconfiguration,azureappservice,' +
    'azureappservicemanagement,azurearcinfrastructure,azureattestation,azureautomation,azurebackup,' +
    'azurebotservice,azurecognitivesearch,azureconnectors,azurecontainerregistry,azurecosmosdb,azuredatabricks,' +
    'azuredataexplorermanagement,azuredatalake,azuredeviceupdate,azuredevops,azuredevspaces,azuredigitaltwins,' +
    'azureeventgrid,azureeventhub,azurefrontdoor,azureidentity,azureinformationprotection,azureiothub,' +
    'azurekeyvault,azureloadtestinginstancemanagement,azuremachinelearning,azuremachinelearninginference,' +
    'azuremanagedgrafana,azuremonitor,azuremonitorforsap,azureopendatasets,azureportal,azureresourcemanager,' +
    'azuresecuritycenter,azuresentinel,azureservicebus,azuresignalr,azuresiterecovery,' +
    'azurespheresecureservice_prod,azurespringcloud,azuresql,azurestack,azurestorage,azuretrafficmanager,' +
    'azureupdatedelivery,azurevideoanalyzerformedia,azurewebpubsub,batchnodemanagement,chaosstudio,' +
    'cognitiveservicesfrontend,cognitiveservicesmanagement,datafactory,dynamics365businesscentral,' +
    'dynamics365formarketingemail,eopextpublished,gatewaymanager,grafana,hdinsight,logicapps,' +
    'm365managementactivityapi,m365managementactivityapiwebhook,marketplace,microsoftazurefluidrelay,' +
    'microsoftcloudappsecurity,microsoftcontainerregistry,microsoftdefenderforendpoint,' +
    'microsoftpurviewpolicydistribution,onedscollector,powerbi,powerplatforminfra,powerplatformplex,' +
    'powerqueryonline,sccservice,scuba,securitycopilot,serialconsole,servicefabric,sqlmanagement,storagemover,' +
    'storagesyncservice,tridentkusto,windowsadmincenter,windowsvirtualdesktop,wvdrelays',
  'com.office.common': 'china,usgovdod,usgovgcchigh,worldwide',
  'com.office.exchange': 'china,usgovdod,usgovgcchigh,worldwide',
  'com.office.sharepoint': 'china,usgovdod,usgovgcchigh,worldwide',
  'com.office.skype': 'china,usgovdod,usgovgcchigh,worldwide',
  'com.okta': 'apac,ca,emea,emea_pam,in,preview,preview_pam,us,us_pam',
  'com.salesforce': 'core,gov,hyperforce,news',
  io: 'censys.scanners',
  net:
    'bunny.ipv4,bunny.ipv6,rssapi,zdxbeta.future,zdxbeta.hubs.recommended,zdxbeta.hubs.required,zdxcloud.future,' +
    'zdxcloud.hubs.recommended,zdxcloud.hubs.required,zdxgov.hubs.recommended,zdxgov.hubs.required,' +
    'zdxten.hubs.recommended,zdxten.hubs.required,zdxten.zpa,zpabeta.zpa,zpagov.zpa,zpatwo.zpa,zscaler.cenr.*,' +
    'zscaler.future,zscaler.hubs.recommended,zscaler.hubs.required,zscaler.zpa,zscalerbeta.cenr.*,' +
    'zscalerbeta.future,zscalerbeta.hubs.recommended,zscalerbeta.hubs.required,zscalerbeta.zpa,zscalergov.cenr.*,' +
    'zscalergov.future,zscalergov.hubs.recommended,zscalergov.hubs.required,zscalergov.zpa,zscalerone.cenr.*,' +
    'zscalerone.future,zscalerone.hubs.recommended,zscalerone.hubs.required,zscalerone.zpa,zscalerten.cenr.*,' +
    'zscalerten.hubs.recommended,zscalerten.hubs.required,zscalerten.zpa,zscalerthree.cenr.*,zscalerthree.future,' +
    'zscalerthree.hubs.recommended,zscalerthree.hubs.required,zscalerthree.zpa,zscalertwo.cenr.*,' +
    'zscalertwo.future,zscalertwo.hubs.recommended,zscalertwo.hubs.required,zscalertwo.zpa,zscloud.cenr.*,' +
    'zscloud.future,zscloud.hubs.recommended,zscloud.hubs.required,zscloud.zpa',
  org: 'commoncrawl.ccbot,telegram,webpagetest',
  proxy: 'anonymous.firehol_org,anonymous.tor,open.firehol_org,vpn.mullvad,vpn.nordvpn,vpn.pia',
  public: 'brianhama.bad-asn-list',
  tech: 'babbar.barkrowler',
  us:
    'zoom,zoom.apps.ipv4,zoom.apps.ipv6,zoom.cc.ipv4,zoom.cc.ipv6,zoom.cdn.ipv4,zoom.cdn.ipv6,zoom.crc,' +
    'zoom.meetings.ipv4,zoom.meetings.ipv6,zoom.phone.ipv4,zoom.phone.ipv6,zoom.zva,zpagov.zpa',
}

/** Returns whether a name is a documented IP address category, or the beginning of such a category. */
export function isCategory(name: string): boolean {
  return listNames().some((each) => {
    const isAny = each.endsWith('*') && name.startsWith(each.slice(0, -1))
    return each === name || each.startsWith(`${name}.`) || isAny
  })
}

/** Returns the category that was probably meant, or undefined if none is similar. */
export function nearestCategory(name: string): string | undefined {
  return nearest(name, [...listNames(), ...Object.keys(CATEGORIES)])
}

function listNames(): readonly string[] {
  return Object.entries(CATEGORIES).flatMap(([begin, names]) => names.split(',').map((each) => `${begin}.${each}`))
}
