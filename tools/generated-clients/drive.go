// Makes calls with a generated client, as tools/generated-clients/index.mjs describes: drive URL. The client parses each
// answer into its types.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"

	client "client"
)

type call struct {
	Operation string
	Ids       []string
	Named     map[string]json.RawMessage
	Body      json.RawMessage
}

type reply map[string]any

func camel(name string) string {
	words := regexp.MustCompile(`[._-]`).Split(name, -1)
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func methodOf(api reflect.Value, name string) reflect.Value {
	for i := range api.NumField() {
		if method := api.Field(i); method.Kind() == reflect.Pointer && method.MethodByName(name).IsValid() {
			return method.MethodByName(name)
		}
	}
	panic("The client has no " + name)
}

// Returns a request with a value that the client has parsed into the type of a parameter.
func set(request, setter reflect.Value, text json.RawMessage) (reflect.Value, error) {
	value := reflect.New(setter.Type().In(0))
	if err := json.Unmarshal(text, value.Interface()); err != nil {
		return request, fmt.Errorf("%s: %w", setter.Type().In(0), err)
	}
	return setter.Call([]reflect.Value{value.Elem()})[0], nil
}

// Returns the name of the method that sets the body: the only one that takes a model, or any data.
func bodySetter(request reflect.Value) string {
	for i := range request.NumMethod() {
		method := request.Type().Method(i)
		if method.Type.NumIn() != 2 {
			continue
		}
		switch kind := method.Type.In(1).Kind(); kind {
		case reflect.Struct, reflect.Map, reflect.Interface:
			return method.Name
		}
	}
	return ""
}

func (it call) send(api reflect.Value) reply {
	inputs := []reflect.Value{reflect.ValueOf(context.Background())}
	for _, id := range it.Ids {
		inputs = append(inputs, reflect.ValueOf(id))
	}
	request := methodOf(api, camel(it.Operation)).Call(inputs)[0]
	var err error
	for name, value := range it.Named {
		setter := request.MethodByName(camel(name))
		if !setter.IsValid() {
			setter = request.MethodByName(camel(name) + "_")
		}
		if request, err = set(request, setter, value); err != nil {
			return reply{"failure": err.Error()}
		}
	}
	if it.Body != nil {
		if request, err = set(request, request.MethodByName(bodySetter(request)), it.Body); err != nil {
			return reply{"failure": err.Error()}
		}
	}
	return read(request.MethodByName("Execute").Call(nil))
}

func read(results []reflect.Value) reply {
	last := len(results) - 1
	response, _ := results[last-1].Interface().(*http.Response)
	if err, _ := results[last].Interface().(error); err != nil {
		var refusal *client.GenericOpenAPIError
		if !errors.As(err, &refusal) || response == nil || response.StatusCode < 300 {
			return reply{"failure": err.Error()}
		}
		return reply{"status": response.StatusCode, "error": string(refusal.Body())}
	}
	if last == 1 {
		return reply{"status": response.StatusCode}
	}
	text, _ := io.ReadAll(response.Body)
	return reply{"status": response.StatusCode, "text": string(text), "answer": results[0].Interface()}
}

func main() {
	configuration := client.NewConfiguration()
	configuration.AddDefaultHeader("Authorization", "Bearer key")
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	api := reflect.ValueOf(client.NewAPIClient(configuration)).Elem()
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var it call
		if err := json.Unmarshal(line, &it); err != nil {
			panic(err)
		}
		text, err := json.Marshal(it.send(api))
		if err != nil {
			text, _ = json.Marshal(reply{"failure": err.Error()})
		}
		fmt.Println(string(text))
	}
}
