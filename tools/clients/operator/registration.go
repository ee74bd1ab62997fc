package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"strings"
	"time"

	"github.com/ngrok/ngrok-api-go/v7"
)

const (
	namespaceKey  = "namespace.uid"
	renewalWindow = 30 * 24 * time.Hour
)

// secret is the key of an operator, with the request for its certificate.
type secret struct {
	key *ecdsa.PrivateKey
	csr string
}

func newSecret() secret {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.CertificateRequest{SignatureAlgorithm: x509.ECDSAWithSHA512}
	der := must(x509.CreateCertificateRequest(rand.Reader, template, key))
	return secret{key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))}
}

type operatorSpec struct {
	description, uid, version string
	features, selectors       []string
	secret                    secret
}

func (spec operatorSpec) metadata() string {
	merged := map[string]any{}
	expect(json.Unmarshal([]byte(metadata), &merged) == nil, "the metadata is no JSON")
	merged[namespaceKey] = spec.uid
	return string(must(json.Marshal(merged)))
}

func (o *operator) reconcileOperator(spec operatorSpec, id string) (*ngrok.KubernetesOperator, error) {
	if id != "" {
		found, err := o.operators.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return o.updateOperator(spec, found.ID)
	}
	if found := find(o.operators.List(&ngrok.Paging{}), spec.isRegistered); found != nil {
		return o.updateOperator(spec, found.ID)
	}
	return o.operators.Create(ctx, &ngrok.KubernetesOperatorCreate{
		Description: spec.description, Metadata: spec.metadata(), EnabledFeatures: spec.features, Region: "global",
		Deployment: ngrok.KubernetesOperatorDeployment{Name: "ngrok-operator", Namespace: "ngrok", Version: spec.version},
		Binding:    &ngrok.KubernetesOperatorBindingCreate{EndpointSelectors: spec.selectors, CSR: spec.secret.csr},
	})
}

// isRegistered finds the registration of the same deployment in the same cluster, which has the same id of a namespace.
func (spec operatorSpec) isRegistered(each *ngrok.KubernetesOperator) bool {
	found := map[string]any{}
	isRead := json.Unmarshal([]byte(each.Metadata), &found) == nil
	isSame := each.Metadata == "" || (isRead && found[namespaceKey] == spec.uid)
	return isSame && each.Deployment.Name == "ngrok-operator" && each.Deployment.Namespace == "ngrok"
}

func (o *operator) updateOperator(spec operatorSpec, id string) (*ngrok.KubernetesOperator, error) {
	return o.operators.Update(ctx, &ngrok.KubernetesOperatorUpdate{
		ID: id, Description: &spec.description, Metadata: ngrok.String(spec.metadata()),
		EnabledFeatures: spec.features, Region: ngrok.String("global"),
		Deployment: &ngrok.KubernetesOperatorDeploymentUpdate{
			Name: ngrok.String("ngrok-operator"), Version: &spec.version,
		},
		Binding: &ngrok.KubernetesOperatorBindingUpdate{EndpointSelectors: spec.selectors, CSR: &spec.secret.csr},
	})
}

// expectCertificate checks that a registration has a client certificate for a key, and returns when it expires.
func expectCertificate(found *ngrok.KubernetesOperator, key *ecdsa.PrivateKey, authority string) time.Time {
	block, rest := pem.Decode([]byte(found.Binding.Cert.Cert))
	expect(block != nil, "%q is no PEM", found.Binding.Cert.Cert)
	leaf := must(x509.ParseCertificate(block.Bytes))
	public, isEC := leaf.PublicKey.(*ecdsa.PublicKey)
	expect(isEC && public.Equal(&key.PublicKey), "the certificate is for another key")
	notBefore := must(time.Parse(time.RFC3339, found.Binding.Cert.NotBefore))
	notAfter := must(time.Parse(time.RFC3339, found.Binding.Cert.NotAfter))
	expect(leaf.NotBefore.Equal(notBefore) && leaf.NotAfter.Equal(notAfter), "the times are not the certificate's")
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	intermediates.AppendCertsFromPEM(rest)
	expect(roots.AppendCertsFromPEM([]byte(authority)), "%q is no certificate", authority)
	must(leaf.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: intermediates, CurrentTime: notBefore,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}))
	return notAfter
}

// expectService checks that an operator can make a service of a bound endpoint: its URL names one, with its namespace.
func expectService(each *ngrok.Endpoint) {
	parsed := must(url.Parse(each.PublicURL))
	expect(parsed.Scheme == each.Proto, "%s has not the protocol %s", each.PublicURL, each.Proto)
	expect(len(strings.Split(parsed.Hostname(), ".")) == 2, "%s names no service", each.PublicURL)
	expect(parsed.Scheme != "tcp" || parsed.Port() != "", "%s has no port", each.PublicURL)
	expect(each.ID != "" && each.URI != "", "%s has no id or no address", each.PublicURL)
}

func checkRegistration(o *operator) {
	authority := ask("authority", nil)["pem"].(string)
	spec := operatorSpec{description, "u-1", "0.22.0", []string{"bindings", "ingress"}, []string{"true"}, newSecret()}
	bad := spec
	bad.secret.csr = "no request"
	_, err := o.reconcileOperator(bad, "")
	o.expectError(err, 400, 19001, "stop")
	created := must(o.reconcileOperator(spec, ""))
	notAfter := expectCertificate(created, spec.secret.key, authority)
	expect(created.Binding.IngressEndpoint != "", "the operator has no address for its bound endpoints")
	other := spec
	other.uid, other.secret = "u-2", newSecret()
	elsewhere := must(o.reconcileOperator(other, ""))
	expect(elsewhere.ID != created.ID, "the operator of another cluster was taken over")

	spec.version, spec.features = "0.22.1", append(spec.features, "gateway")
	adopted := must(o.reconcileOperator(spec, ""))
	expect(adopted.ID == created.ID && adopted.Deployment.Version == "0.22.1", "the operator was not found again")
	expect(adopted.Deployment.Namespace == "ngrok" && len(adopted.EnabledFeatures) == 3, "%v", adopted)
	expect(adopted.Binding.Cert == created.Binding.Cert, "the same request has another certificate")

	ask("advanceTo", facts{"time": notAfter.Add(time.Second - renewalWindow).Format(time.RFC3339)})
	spec.secret = newSecret()
	renewed := must(o.reconcileOperator(spec, created.ID))
	expect(expectCertificate(renewed, spec.secret.key, authority).After(notAfter), "the certificate was not renewed")

	ask("remove", facts{"family": "kubernetesOperators", "id": created.ID})
	_, err = o.reconcileOperator(spec, created.ID)
	o.expectError(err, 404, 0, "retry")
	again := must(o.reconcileOperator(spec, ""))
	expectCertificate(again, spec.secret.key, authority)
	o.expectGone(o.operators.Delete, again.ID)
	o.expectGone(o.operators.Delete, elsewhere.ID)
}

// checkBound polls the endpoints that an operator makes services of: two pages, then those of a selector, then none.
func checkBound(o *operator) {
	spec := operatorSpec{description, "u-3", "0.22.0", []string{"bindings"}, []string{"true"}, newSecret()}
	id := must(o.reconcileOperator(spec, "")).ID
	list := func() []*ngrok.Endpoint { return collect(o.operators.GetBoundEndpoints(id, &ngrok.Paging{})) }
	expect(len(list()) == 0, "an operator has endpoints of another binding")
	ask("bound", facts{"many": 120})
	all := list()
	expect(len(all) == 120, "an operator has %d endpoints", len(all))
	for _, each := range all {
		expectService(each)
	}
	spec.selectors = []string{"endpoint.proto =="}
	_, err := o.reconcileOperator(spec, id)
	o.expectError(err, 400, 19003, "stop")
	spec.selectors = []string{"endpoint.proto == 'tcp'"}
	must(o.reconcileOperator(spec, id))
	expect(len(list()) == 60, "%d endpoints are selected", len(list()))
	for _, each := range list() {
		expect(each.Proto == "tcp", "%s is not selected", each.PublicURL)
	}
	spec.features = []string{"ingress"}
	must(o.reconcileOperator(spec, id))
	expect(len(list()) == 0, "an operator without bindings has endpoints")
	o.expectGone(o.operators.Delete, id)
	gone := o.operators.GetBoundEndpoints(id, &ngrok.Paging{})
	expect(!gone.Next(ctx), "a deleted operator has endpoints")
	o.expectError(gone.Err(), 404, 0, "retry")
}
