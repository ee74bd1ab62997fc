// Creates a domain with the client of oapi-codegen: create URL. Prints the domain of the response.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"client/api"
)

func main() {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer key")
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(withKey))
	if err != nil {
		log.Fatal(err)
	}
	name := "app.example.com"
	params := &api.ReservedDomainsCreateParams{NgrokVersion: "2"}
	body := api.ReservedDomainCreate{Domain: &name}
	response, err := client.ReservedDomainsCreateWithResponse(context.Background(), params, body)
	if err != nil {
		log.Fatal(err)
	}
	if response.JSON201 == nil {
		log.Fatal(string(response.Body))
	}
	fmt.Println(response.JSON201.Domain)
}
