# The provider 0.8.0 cannot read any operator: it throws at its own conversion of the field deployment.
data "ngrok_kubernetes_operator" "all" {
  id = var.declared.operator
}
