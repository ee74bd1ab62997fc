// Package vaults is code under test that keeps the secrets in a vault up to date, as operators of Kubernetes do.
package vaults

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ngrok/ngrok-api-go/v9"
	"github.com/ngrok/ngrok-api-go/v9/secrets"
	"github.com/ngrok/ngrok-api-go/v9/vaults"
)

// Store writes secrets to the vault with a name. The vault must exist.
type Store struct {
	Config *ngrok.ClientConfig
	Vault  string
	id     string
}

// Push creates a secret, or changes its value. Its metadata have the checksum of the value, which the API never returns.
func (s *Store) Push(ctx context.Context, name, value string) error {
	existing, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(value))
	content, err := json.Marshal(map[string]string{"sha256": hex.EncodeToString(sum[:])})
	if err != nil {
		return err
	}
	metadata, client := string(content), secrets.NewClient(s.Config)
	if existing == nil {
		_, err = client.Create(ctx, &ngrok.SecretCreate{VaultID: s.id, Name: name, Value: value, Metadata: metadata})
	} else {
		_, err = client.Update(ctx, &ngrok.SecretUpdate{ID: existing.ID, Value: &value, Metadata: &metadata})
	}
	return err
}

// Delete deletes a secret, if it exists.
func (s *Store) Delete(ctx context.Context, name string) error {
	existing, err := s.find(ctx, name)
	if err != nil || existing == nil {
		return err
	}
	return secrets.NewClient(s.Config).Delete(ctx, existing.ID)
}

// find returns the secret with a name, or nil. Other vaults can have secrets with the same name.
func (s *Store) find(ctx context.Context, name string) (*ngrok.Secret, error) {
	if err := s.findVault(ctx); err != nil {
		return nil, err
	}
	list := secrets.NewClient(s.Config).List(named(name))
	for list.Next(ctx) {
		if secret := list.Item(); secret.Name == name && secret.Vault.ID == s.id {
			return secret, nil
		}
	}
	return nil, list.Err()
}

// findVault finds the id of the vault, unless the known one still has the name.
func (s *Store) findVault(ctx context.Context) error {
	client := vaults.NewClient(s.Config)
	if s.id != "" {
		if vault, err := client.Get(ctx, s.id); err == nil && vault.Name == s.Vault {
			return nil
		}
	}
	list := client.List(named(s.Vault))
	for list.Next(ctx) {
		s.id = list.Item().ID
		return nil
	}
	if list.Err() != nil {
		return list.Err()
	}
	return fmt.Errorf("there is no vault %q", s.Vault)
}

func named(name string) *ngrok.FilteredPaging {
	filter := "obj.name == " + strconv.Quote(name)
	return &ngrok.FilteredPaging{Filter: &filter}
}
