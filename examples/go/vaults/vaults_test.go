package vaults_test

import (
	"context"
	"strings"
	"testing"

	"example.com/app/vaults"
	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
	"github.com/ngrok/ngrok-api-go/v9"
	api "github.com/ngrok/ngrok-api-go/v9/vaults"
)

var ctx = context.Background()

// start returns a store with a vault of its own, beside a vault that has a secret of the same name.
func start(t *testing.T) (*fauxgatetest.Gateway, *vaults.Store, *ngrok.Vault) {
	t.Parallel()
	gateway := fauxgatetest.New(t)
	config := ngrok.NewClientConfig("any key", ngrok.WithBaseURL(gateway.URL), ngrok.WithHTTPClient(gateway.Client()))
	other := vaults.Store{Config: config, Vault: "other"}
	createVault(t, config, "other")
	if err := other.Push(ctx, "password", "of the other vault"); err != nil {
		t.Fatal(err)
	}
	return gateway, &vaults.Store{Config: config, Vault: "app"}, createVault(t, config, "app")
}

func createVault(t *testing.T, config *ngrok.ClientConfig, name string) *ngrok.Vault {
	t.Helper()
	vault, err := api.NewClient(config).Create(ctx, &ngrok.VaultCreate{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return vault
}

func listSecrets(t *testing.T, store *vaults.Store, vault *ngrok.Vault) []*ngrok.Secret {
	t.Helper()
	all := []*ngrok.Secret{}
	list := api.NewClient(store.Config).GetSecretsByVault(vault.ID, nil)
	for list.Next(ctx) {
		all = append(all, list.Item())
	}
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCreatesThenChangesASecret(t *testing.T) {
	gateway, store, vault := start(t)
	for _, value := range []string{"first", "second"} {
		if err := store.Push(ctx, "password", value); err != nil {
			t.Fatal(err)
		}
	}
	if last := gateway.LastRequest(); last.Operation != "vault_secrets.update" {
		t.Fatalf("the last call was %s", last.Operation)
	}
	all := listSecrets(t, store, vault)
	if len(all) != 1 || !strings.Contains(all[0].Metadata, "16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4") {
		t.Fatalf("the vault has %v", all)
	}
}

func TestDeletesASecretOfItsVaultOnly(t *testing.T) {
	gateway, store, vault := start(t)
	if err := store.Push(ctx, "password", "mine"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := store.Delete(ctx, "password"); err != nil {
			t.Fatal(err)
		}
	}
	if all := listSecrets(t, store, vault); len(all) != 0 {
		t.Fatalf("the vault has %v", all)
	}
	if report := gateway.Report(); strings.Count(report, "DELETE /vault_secrets/") != 1 {
		t.Fatal(report)
	}
}

func TestFindsTheVaultAgainAfterAChangeOfItsName(t *testing.T) {
	_, store, vault := start(t)
	if err := store.Push(ctx, "password", "mine"); err != nil {
		t.Fatal(err)
	}
	name := "app-old"
	if _, err := api.NewClient(store.Config).Update(ctx, &ngrok.VaultUpdate{ID: vault.ID, Name: &name}); err != nil {
		t.Fatal(err)
	}
	if err := store.Push(ctx, "password", "mine"); err == nil {
		t.Fatal("a vault with another name was used")
	}
	next := createVault(t, store.Config, "app")
	if err := store.Push(ctx, "password", "mine"); err != nil || len(listSecrets(t, store, next)) != 1 {
		t.Fatal("the new vault was not used:", err)
	}
}

func TestReportsALimitOfRequests(t *testing.T) {
	gateway, store, vault := start(t)
	gateway.Fault(fauxgatetest.Fault{Operation: "vault_secrets.create", Times: 1, Status: 429})
	if err := store.Push(ctx, "password", "mine"); err == nil {
		t.Fatal("the secret was created all the same")
	}
	if err := store.Push(ctx, "password", "mine"); err != nil || len(listSecrets(t, store, vault)) != 1 {
		t.Fatal("the secret was not created later:", err)
	}
}
