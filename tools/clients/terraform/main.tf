# Every resource of ngrok's Terraform provider. tools/clients/terraform.mjs applies it, changes the description, imports
# what it made, and destroys it.
terraform {
  required_providers {
    ngrok = {
      source  = "ngrok/ngrok"
      version = "0.8.0"
    }
  }
}

variable "url" {}
variable "key" {}
variable "description" {}
variable "authority" {}
variable "fixtures" {}
variable "public_key" {}
variable "declared" {
  type = object({ application_session = string, application_user = string, operator = string, tunnel_session = string })
}

provider "ngrok" {
  api_base_url = var.url
  api_key      = var.key
}

locals {
  metadata = jsonencode({ by = "Terraform" })
}

resource "ngrok_agent_ingress" "all" {
  domain      = "connect.example.com"
  description = var.description
  metadata    = local.metadata
  certificate_management_policy = {
    authority        = "letsencrypt"
    private_key_type = "ecdsa"
  }
}

resource "ngrok_api_key" "all" {
  description = var.description
  metadata    = local.metadata
}

resource "ngrok_certificate_authority" "all" {
  ca_pem      = var.authority
  description = var.description
  metadata    = local.metadata
}

resource "ngrok_cloud_endpoint" "all" {
  url             = "https://app.example.com"
  traffic_policy  = jsonencode({ on_http_request = [{ actions = [{ type = "deny" }] }] })
  bindings        = ["public"]
  pooling_enabled = true
  description     = var.description
  metadata        = local.metadata
  depends_on      = [ngrok_domain.all]
}

resource "ngrok_credential" "all" {
  acl         = ["bind:*.example.com"]
  description = var.description
  metadata    = local.metadata
}

# The service writes the name without capitals and without the last dot. The provider must see no difference.
resource "ngrok_domain" "all" {
  domain      = "App.Example.com."
  description = var.description
  metadata    = local.metadata
  resolves_to = ["global"]
  certificate_management_policy = {
    authority        = "letsencrypt"
    private_key_type = "ecdsa"
  }
}

resource "ngrok_event_destination" "all" {
  format      = "json"
  description = var.description
  metadata    = local.metadata
  target = {
    kinesis = {
      stream_arn = "arn:aws:kinesis:us-east-1:123456789012:stream/events"
      auth       = { role = { role_arn = "arn:aws:iam::123456789012:role/events" } }
    }
  }
}

resource "ngrok_event_subscription" "all" {
  destination_ids = [ngrok_event_destination.all.id]
  sources         = [{ type = "ip_policy_created.v0" }, { type = "ip_policy_updated.v0" }]
  description     = var.description
  metadata        = local.metadata
}

resource "ngrok_ip_policy" "all" {
  description = var.description
  metadata    = local.metadata
}

resource "ngrok_ip_policy_rule" "all" {
  ip_policy_id = ngrok_ip_policy.all.id
  action       = "allow"
  cidr         = "2001:DB8::/32"
  description  = var.description
  metadata     = local.metadata
}

resource "ngrok_ip_restriction" "all" {
  type          = "agent"
  enforced      = false
  ip_policy_ids = [ngrok_ip_policy.all.id]
  description   = var.description
  metadata      = local.metadata
}

resource "ngrok_secret" "all" {
  vault_id    = ngrok_vault.all.id
  name        = "password"
  value       = "hidden"
  description = var.description
  metadata    = local.metadata
}

resource "ngrok_service_user" "all" {
  name   = var.description
  active = true
}

resource "ngrok_ssh_certificate_authority" "all" {
  private_key_type = "ecdsa"
  elliptic_curve   = "nistp384"
  description      = var.description
  metadata         = local.metadata
}

resource "ngrok_ssh_credential" "all" {
  public_key  = var.public_key
  acl         = ["bind:*.example.com"]
  description = var.description
  metadata    = local.metadata
}

resource "ngrok_tcp_address" "all" {
  region      = "eu"
  description = var.description
  metadata    = local.metadata
}

resource "ngrok_tls_certificate" "all" {
  certificate_pem = file("${var.fixtures}/leaf-p256.pem")
  private_key_pem = file("${var.fixtures}/key-p256.pem")
  description     = var.description
  metadata        = local.metadata
}

resource "ngrok_vault" "all" {
  name        = "passwords"
  description = var.description
  metadata    = local.metadata
}
