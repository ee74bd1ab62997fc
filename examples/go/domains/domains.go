// Package domains is the code under test: it reserves a domain with ngrok's own client, and waits for its certificate.
package domains

import (
	"context"
	"fmt"

	"github.com/ngrok/ngrok-api-go/v9"
	"github.com/ngrok/ngrok-api-go/v9/reserved_domains"
)

// Reserve reserves a domain with an automatic certificate. If the domain is already reserved, it uses that one.
func Reserve(ctx context.Context, config *ngrok.ClientConfig, name string) (*ngrok.ReservedDomain, error) {
	client := reserved_domains.NewClient(config)
	domain, err := client.Create(ctx, &ngrok.ReservedDomainCreate{
		Domain:                      name,
		CertificateManagementPolicy: &ngrok.ReservedDomainCertPolicy{Authority: "letsencrypt", PrivateKeyType: "ecdsa"},
	})
	if !ngrok.IsErrorCode(err, 413) {
		return domain, err
	}
	list := client.List(nil)
	for list.Next(ctx) {
		if list.Item().Domain == name {
			return list.Item(), nil
		}
	}
	return nil, list.Err()
}

// WaitForCertificate reads the domain until it has a certificate, at most five times, with a pause in between.
func WaitForCertificate(ctx context.Context, config *ngrok.ClientConfig, id string, pause func()) (string, error) {
	client := reserved_domains.NewClient(config)
	for tries := 0; tries < 5; tries++ {
		domain, err := client.Get(ctx, id)
		if err != nil {
			return "", err
		}
		if domain.Certificate != nil {
			return domain.Certificate.ID, nil
		}
		pause()
	}
	return "", fmt.Errorf("%s has no certificate after 5 tries", id)
}
