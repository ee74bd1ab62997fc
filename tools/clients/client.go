// Calls ngrok's official Go client as the lines of its input describe: see tools/clients/drivers.mjs, which also
// writes the file with `clients`, since the families differ between versions.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/ngrok/ngrok-api-go/VERSION"
)

type callRequest struct {
	Call, Family, ID, Key, Limit, URL string
	Body                              json.RawMessage
}

var ctx = context.Background()

// createArgument creates an argument of a method from a request: the context, an id, or a struct read from JSON.
func createArgument(kind reflect.Type, request callRequest) reflect.Value {
	if kind.Kind() == reflect.Interface {
		return reflect.ValueOf(ctx)
	}
	if kind.Kind() == reflect.String {
		return reflect.ValueOf(findID(request))
	}
	value := reflect.New(kind.Elem())
	body := request.Body
	if strings.HasSuffix(kind.Elem().Name(), "Paging") {
		body, _ = json.Marshal(map[string]string{"limit": request.Limit})
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, value.Interface()); err != nil {
			panic(err)
		}
	}
	if id := value.Elem().FieldByName("ID"); id.IsValid() && id.Kind() == reflect.String && request.ID != "" {
		id.SetString(request.ID)
	}
	return value
}

// findID returns the id of a request. The id of an owner is in the body.
func findID(request callRequest) string {
	var owner struct {
		Subscription string `json:"subscription_id"`
	}
	_ = json.Unmarshal(request.Body, &owner)
	return cmp.Or(request.ID, owner.Subscription)
}

func items(list reflect.Value) (found []any, err error) {
	found = []any{}
	for list.MethodByName("Next").Call([]reflect.Value{reflect.ValueOf(ctx)})[0].Bool() {
		found = append(found, list.MethodByName("Item").Call(nil)[0].Interface())
	}
	err, _ = list.MethodByName("Err").Call(nil)[0].Interface().(error)
	return found, err
}

func call(method reflect.Value, request callRequest) (answer any, err error) {
	var inputs []reflect.Value
	for n := 0; n < method.Type().NumIn(); n++ {
		inputs = append(inputs, createArgument(method.Type().In(n), request))
	}
	results := method.Call(inputs)
	if results[0].MethodByName("Next").IsValid() {
		return items(results[0])
	}
	err, _ = results[len(results)-1].Interface().(error)
	if len(results) > 1 {
		answer = results[0].Interface()
	}
	return answer, err
}

// Methods have names such as GetSecretsByVault in the client, and get_secrets_by_vault in requests.
var capital = regexp.MustCompile("[A-Z]")

func findMethod(client any, name string) reflect.Value {
	kind := reflect.TypeOf(client)
	for n := 0; n < kind.NumMethod(); n++ {
		if formatName(kind.Method(n).Name) == name {
			return reflect.ValueOf(client).Method(n)
		}
	}
	return reflect.Value{}
}

func formatName(method string) string {
	return strings.ToLower(capital.ReplaceAllString(method, "_$0"))[1:]
}

// methods returns the names of all methods, by their families.
func methods(clients map[string]any) map[string][]string {
	found := map[string][]string{}
	for family, client := range clients {
		kind := reflect.TypeOf(client)
		for n := 0; n < kind.NumMethod(); n++ {
			found[family] = append(found[family], formatName(kind.Method(n).Name))
		}
	}
	return found
}

func handle(request callRequest) map[string]any {
	all := clients(ngrok.NewClientConfig(request.Key, ngrok.WithBaseURL(request.URL)))
	if request.Call == "methods" {
		return map[string]any{"answer": methods(all)}
	}
	client, known := all[request.Family]
	if !known {
		return map[string]any{"unknown": true}
	}
	method := findMethod(client, request.Call)
	if !method.IsValid() {
		return map[string]any{"unknown": true}
	}
	answer, err := call(method, request)
	var apiError *ngrok.Error
	if errors.As(err, &apiError) {
		return map[string]any{"error": map[string]any{"status": apiError.StatusCode, "code": apiError.ErrorCode}}
	}
	if err != nil {
		return map[string]any{"failure": err.Error()}
	}
	return map[string]any{"answer": answer}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var request callRequest
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			panic(err)
		}
		line, _ := json.Marshal(handle(request))
		fmt.Println(string(line))
	}
}
