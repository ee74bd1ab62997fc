# The data sources of ngrok's Terraform provider, without the one in operator.tf.

# These five search lists with filters.
data "ngrok_agent_ingress" "all" {
  domain = ngrok_agent_ingress.all.domain
}

data "ngrok_domain" "all" {
  domain = "app.example.com"
}

data "ngrok_secret" "all" {
  name = ngrok_secret.all.name
}

data "ngrok_tcp_address" "all" {
  addr = ngrok_tcp_address.all.addr
}

data "ngrok_vault" "all" {
  name = ngrok_vault.all.name
}

data "ngrok_api_key" "all" {
  id = ngrok_api_key.all.id
}

data "ngrok_certificate_authority" "all" {
  id = ngrok_certificate_authority.all.id
}

data "ngrok_cloud_endpoint" "all" {
  id = ngrok_cloud_endpoint.all.id
}

data "ngrok_credential" "all" {
  id = ngrok_credential.all.id
}

data "ngrok_event_destination" "all" {
  id = ngrok_event_destination.all.id
}

data "ngrok_event_subscription" "all" {
  id = ngrok_event_subscription.all.id
}

data "ngrok_ip_policy" "all" {
  id = ngrok_ip_policy.all.id
}

data "ngrok_ip_policy_rule" "all" {
  id = ngrok_ip_policy_rule.all.id
}

data "ngrok_ip_restriction" "all" {
  id = ngrok_ip_restriction.all.id
}

data "ngrok_service_user" "all" {
  id = ngrok_service_user.all.id
}

data "ngrok_ssh_certificate_authority" "all" {
  id = ngrok_ssh_certificate_authority.all.id
}

data "ngrok_ssh_credential" "all" {
  id = ngrok_ssh_credential.all.id
}

data "ngrok_tls_certificate" "all" {
  id = ngrok_tls_certificate.all.id
}

# These three have no resource.
data "ngrok_application_session" "all" {
  id = var.declared.application_session
}

data "ngrok_application_user" "all" {
  id = var.declared.application_user
}

data "ngrok_tunnel_session" "all" {
  id = var.declared.tunnel_session
}
