// Ngrok's official Go client on both sides of a restart, in the middle of a list: see scripts/restart.mjs.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"github.com/ngrok/ngrok-api-go/v7"
	"github.com/ngrok/ngrok-api-go/v7/reserved_addrs"
	"github.com/ngrok/ngrok-api-go/v7/reserved_domains"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	config := ngrok.NewClientConfig("any key", ngrok.WithBaseURL(os.Args[1]))
	addrs, domains := reserved_addrs.NewClient(config), reserved_domains.NewClient(config)
	made := map[string]bool{}
	last := ""
	for n := 0; n < 120; n++ {
		last = must(addrs.Create(ctx, &ngrok.ReservedAddrCreate{Description: fmt.Sprintf("go %d", n)})).ID
		made[last] = true
	}
	domain := must(domains.Create(ctx, &ngrok.ReservedDomainCreate{
		Domain:                      "go.example.com",
		CertificateManagementPolicy: &ngrok.ReservedDomainCertPolicy{Authority: "letsencrypt", PrivateKeyType: "ecdsa"},
	}))
	list := addrs.List(nil)
	found := 0
	read := func(most int) {
		for read := 0; read < most && list.Next(ctx); read++ {
			if made[list.Item().ID] {
				found++
			}
		}
	}
	read(50)
	fmt.Println("middle")
	bufio.NewReader(os.Stdin).ReadString('\n')
	read(1 << 30)
	if list.Err() != nil || found != len(made) {
		panic(fmt.Sprint(found, " of ", len(made), " were listed: ", list.Err()))
	}
	if must(domains.Get(ctx, domain.ID)).Domain != "go.example.com" {
		panic("the domain is another one")
	}
	text := "after"
	must(addrs.Update(ctx, &ngrok.ReservedAddrUpdate{ID: last, Description: &text}))
	if must(addrs.Get(ctx, last)).Description != "after" {
		panic("the change was lost")
	}
	if _, err := domains.Create(ctx, &ngrok.ReservedDomainCreate{Domain: "go.example.com"}); !ngrok.IsErrorCode(err, 413) {
		panic(fmt.Sprint("the domain was reserved twice: ", err))
	}
	fmt.Println("end")
}
