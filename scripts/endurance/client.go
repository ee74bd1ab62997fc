// Ngrok's official Go client while the server is killed again and again: see scripts/endurance.mjs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ngrok/ngrok-api-go/v7"
	"github.com/ngrok/ngrok-api-go/v7/reserved_addrs"
)

type place struct{ Name, URL, Key string }

var ctx = context.Background()

// answered repeats a call while nobody answers. A refusal is an error.
func answered[T any](call func() (T, error)) (T, error) {
	for {
		value, err := call()
		var refused *ngrok.Error
		if err == nil || errors.As(err, &refused) {
			return value, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func descriptions(client *reserved_addrs.Client) (map[string]string, error) {
	list, found := client.List(nil), map[string]string{}
	for list.Next(ctx) {
		if _, twice := found[list.Item().ID]; twice {
			panic(list.Item().ID + " is listed twice")
		}
		found[list.Item().ID] = list.Item().Description
	}
	return found, list.Err()
}

func clientOf(url, key string) *reserved_addrs.Client {
	return reserved_addrs.NewClient(ngrok.NewClientConfig(key, ngrok.WithBaseURL(url)))
}

func use(own place, other *place, writes int) {
	client, made := clientOf(own.URL, own.Key), []string{}
	for len(made) < writes {
		addr, err := answered(func() (*ngrok.ReservedAddr, error) {
			return client.Create(ctx, &ngrok.ReservedAddrCreate{Description: own.Name})
		})
		if err != nil {
			panic(err)
		}
		made = append(made, addr.ID)
		fmt.Println("answered")
		time.Sleep(20 * time.Millisecond)
	}
	listed, err := answered(func() (map[string]string, error) { return descriptions(client) })
	for _, id := range made {
		if listed[id] != own.Name {
			panic(fmt.Sprint(id, " was lost: ", err))
		}
	}
	if other == nil {
		return
	}
	// It leaves out the path of its base URL, so the key alone says where a request goes.
	forged := strings.Replace(own.Key, own.Name, other.Name, 1)
	_, err = answered(func() (map[string]string, error) { return descriptions(clientOf(other.URL, forged)) })
	if err == nil || !strings.Contains(err.Error(), "ERR_GATEWAY_90606") {
		panic(fmt.Sprint("the key of another sandbox was taken: ", err))
	}
}

func main() {
	var given struct {
		Writes int
		Places []place
	}
	file, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(file, &given); err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	for n, own := range given.Places {
		var other *place
		if len(given.Places) > 1 {
			other = &given.Places[(n+1)%len(given.Places)]
		}
		all.Add(1)
		go func() {
			defer all.Done()
			use(own, other, given.Writes)
		}()
	}
	all.Wait()
}
