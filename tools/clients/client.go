// Calls ngrok's official Go client as the lines of its input describe: see scripts/clients/drivers.mjs, which also
// writes the file with `clients`, since the families differ between versions.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/ngrok/ngrok-api-go/VERSION"
)

type callRequest struct {
	Call, Family, ID, Key, Limit, URL string
	Body                         json.RawMessage
}

var ctx = context.Background()

// createArgument creates the argument of a method from a request: an id, or a struct read from JSON.
func createArgument(kind reflect.Type, request callRequest) reflect.Value {
	if kind.Kind() == reflect.String {
		return reflect.ValueOf(request.ID)
	}
	value := reflect.New(kind.Elem())
	body := request.Body
	if request.Call == "list" {
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

func items(list reflect.Value) (found []any, err error) {
	for list.MethodByName("Next").Call([]reflect.Value{reflect.ValueOf(ctx)})[0].Bool() {
		found = append(found, list.MethodByName("Item").Call(nil)[0].Interface())
	}
	err, _ = list.MethodByName("Err").Call(nil)[0].Interface().(error)
	return found, err
}

func call(method reflect.Value, request callRequest) (answer any, err error) {
	input := createArgument(method.Type().In(method.Type().NumIn()-1), request)
	if request.Call == "list" {
		return items(method.Call([]reflect.Value{input})[0])
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), input})
	err, _ = results[len(results)-1].Interface().(error)
	if len(results) > 1 {
		answer = results[0].Interface()
	}
	return answer, err
}

func handle(request callRequest) map[string]any {
	client, known := clients(ngrok.NewClientConfig(request.Key, ngrok.WithBaseURL(request.URL)))[request.Family]
	if !known {
		return map[string]any{"unknown": true}
	}
	method := reflect.ValueOf(client).MethodByName(strings.ToUpper(request.Call[:1]) + request.Call[1:])
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
