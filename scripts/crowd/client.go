// Ngrok's official Go client in many sandboxes at once, whose process is killed meanwhile: see scripts/crowd.mjs.
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

type sandbox struct{ Name, URL, Key string }

var ctx = context.Background()

// until asks again while nobody answers. What is refused is an error.
func until[T any](ask func() (T, error)) (T, error) {
	for {
		value, err := ask()
		var refused *ngrok.Error
		if err == nil || errors.As(err, &refused) {
			return value, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func everything(client *reserved_addrs.Client) ([]*ngrok.ReservedAddr, error) {
	list := client.List(nil)
	var found []*ngrok.ReservedAddr
	for list.Next(ctx) {
		found = append(found, list.Item())
	}
	return found, list.Err()
}

func clientOf(url, key string) *reserved_addrs.Client {
	return reserved_addrs.NewClient(ngrok.NewClientConfig(key, ngrok.WithBaseURL(url)))
}

func use(own, foreign sandbox, writes int) {
	client := clientOf(own.URL, own.Key)
	made := map[string]bool{}
	for len(made) < writes {
		addr, err := until(func() (*ngrok.ReservedAddr, error) {
			return client.Create(ctx, &ngrok.ReservedAddrCreate{Description: own.Name})
		})
		if err != nil || made[addr.ID] {
			panic(fmt.Sprint("a write was refused, or its id was given before: ", err))
		}
		made[addr.ID] = true
		fmt.Println("answered")
	}
	listed, err := until(func() ([]*ngrok.ReservedAddr, error) { return everything(client) })
	if err != nil {
		panic(err)
	}
	found := map[string]bool{}
	for _, each := range listed {
		if found[each.ID] || each.Description != own.Name {
			panic(fmt.Sprint(each.ID, " is there twice, or another sandbox's: ", each.Description))
		}
		found[each.ID] = true
	}
	for id := range made {
		if !found[id] {
			panic(id + " was lost")
		}
	}
	// It leaves out the path of its base URL, so that the key alone says where it goes.
	feigned := strings.Replace(own.Key, own.Name, foreign.Name, 1)
	_, err = until(func() ([]*ngrok.ReservedAddr, error) { return everything(clientOf(foreign.URL, feigned)) })
	if !ngrok.IsErrorCode(err, 203) {
		panic(fmt.Sprint("the key of another sandbox was taken: ", err))
	}
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var given struct {
		Writes    int
		Sandboxes []sandbox
	}
	if err := json.Unmarshal(file, &given); err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	for n, own := range given.Sandboxes {
		foreign := given.Sandboxes[(n+1)%len(given.Sandboxes)]
		all.Add(1)
		go func() {
			defer all.Done()
			use(own, foreign, given.Writes)
		}()
	}
	all.Wait()
	fmt.Printf("%d sandboxes have what was answered and nothing else.\n", len(given.Sandboxes))
}
