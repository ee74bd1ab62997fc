package domains_test

import (
	"context"
	"testing"
	"time"

	"example.com/app/domains"
	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
	"github.com/ngrok/ngrok-api-go/v9"
)

var ctx = context.Background()

func start(t *testing.T) (*fauxgatetest.Gateway, *ngrok.ClientConfig) {
	t.Parallel()
	gateway := fauxgatetest.New(t)
	return gateway, ngrok.NewClientConfig("any key", ngrok.WithBaseURL(gateway.URL), ngrok.WithHTTPClient(gateway.Client()))
}

func TestWaitsForTheCertificate(t *testing.T) {
	gateway, config := start(t)
	domain, err := domains.Reserve(ctx, config, "app.example.com")
	if err != nil {
		t.Fatal(err)
	}
	pause := func() { gateway.Advance(30 * time.Second) }
	if _, err := domains.WaitForCertificate(ctx, config, domain.ID, pause); err != nil {
		t.Fatal(err)
	}
}

func TestUsesADomainThatIsThere(t *testing.T) {
	_, config := start(t)
	first, err := domains.Reserve(ctx, config, "app.example.com")
	if err != nil {
		t.Fatal(err)
	}
	second, err := domains.Reserve(ctx, config, "app.example.com")
	if err != nil || second.ID != first.ID {
		t.Fatalf("got %v, %v instead of %s", second, err, first.ID)
	}
}

func TestGoesOnAfterAFailedAttempt(t *testing.T) {
	gateway, config := start(t)
	gateway.Script(fauxgatetest.OutcomeDNSError, fauxgatetest.OutcomeSuccess)
	domain, err := domains.Reserve(ctx, config, "app.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := domains.WaitForCertificate(ctx, config, domain.ID, func() { gateway.Advance(30 * time.Second) }); err == nil {
		t.Fatal("there is a certificate after a failed attempt")
	}
	if _, err := domains.WaitForCertificate(ctx, config, domain.ID, func() { gateway.Advance(time.Hour) }); err != nil {
		t.Fatal(err)
	}
}

func TestReportsAServiceThatIsDown(t *testing.T) {
	gateway, config := start(t)
	gateway.Fault(fauxgatetest.Fault{Operation: "reserved_domains.create", Times: 1, Status: 503})
	if _, err := domains.Reserve(ctx, config, "app.example.com"); err == nil {
		t.Fatal("the domain was reserved all the same")
	}
}
