// Makes calls with a generated client: drive URL CALLS.json. The client parses each answer into its types.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"

	client "client"
)

type call struct {
	Operation, Version, Schema, Saved string
	Ids                               map[string]string
	Order                             []string
	Body                              json.RawMessage
}

var ids = map[string]string{}

func fillIds(text string) string {
	return regexp.MustCompile(`@\w+`).ReplaceAllStringFunc(text, func(name string) string { return ids[name[1:]] })
}

func camel(name string) string {
	words := regexp.MustCompile(`[._-]`).Split(name, -1)
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func check(err error) {
	if err == nil {
		return
	}
	if answer, ok := err.(*client.GenericOpenAPIError); ok {
		err = fmt.Errorf("%w: %s", err, answer.Body())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func methodOf(api reflect.Value, name string) reflect.Value {
	for i := range api.NumField() {
		if method := api.Field(i); method.Kind() == reflect.Pointer && method.MethodByName(name).IsValid() {
			return method.MethodByName(name)
		}
	}
	panic("The client has no " + name)
}

func (it call) send(api reflect.Value) {
	inputs := []reflect.Value{reflect.ValueOf(context.WithValue(context.Background(), client.ContextAccessToken, "key"))}
	for _, name := range it.Order {
		inputs = append(inputs, reflect.ValueOf(fillIds(it.Ids[name])))
	}
	request := methodOf(api, camel(it.Operation)).Call(inputs)[0]
	request = request.MethodByName(camel(it.Version)).Call([]reflect.Value{reflect.ValueOf("2")})[0]
	if it.Schema != "" {
		set := request.MethodByName(it.Schema)
		body := reflect.New(set.Type().In(0))
		check(json.Unmarshal([]byte(fillIds(string(it.Body))), body.Interface()))
		request = set.Call([]reflect.Value{body.Elem()})[0]
	}
	answer := request.MethodByName("Execute").Call(nil)
	err, _ := answer[len(answer)-1].Interface().(error)
	check(err)
	fmt.Println(it.Operation)
	if it.Saved != "" {
		ids[it.Saved] = answer[0].Elem().FieldByName("Id").String()
	}
}

func main() {
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var calls []call
	check(json.Unmarshal(text, &calls))
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	api := reflect.ValueOf(client.NewAPIClient(configuration)).Elem()
	for _, each := range calls {
		each.send(api)
	}
}
